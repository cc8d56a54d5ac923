// cli/suggestion.hpp - what somebody who mistyped a word may have meant.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace weft::cli {

// The one of `known` that is nearest to `word`: a letter in three, and at least one, may be missing, too many, another,
// or change places with its neighbour (optimal string alignment: Boytsov 2011, doi:10.1145/1963190.1963191). "" where
// none is that near.
std::string nearest(std::string_view word, std::span<const std::string> known);

// "did you mean --json? " of the first option on the command line that its command does not know, or "".
std::string option_meant(const CLI::App& app);

}  // namespace weft::cli
