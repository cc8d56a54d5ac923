// weft/support/shell_word.hpp - commands that are recommended, such that they can be copied into a shell.
#pragma once

#include <string>

namespace weft {

// `word` as a shell takes it: in single quotes where it holds more than plain characters.
std::string quoted(const std::string& word);

}  // namespace weft
