// cli/repack_command.hpp - `weft repack IN OUT`: a file written anew, in chunks that suit its reads.
#pragma once

#include <CLI/CLI.hpp>

namespace weft::cli {

void add_repack_command(CLI::App& app);

}  // namespace weft::cli
