// cli/reduce_command.hpp - `weft reduce`: quantities over time of every node, from a file.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_reduce_command(CLI::App& app);

}  // namespace weft::cli
