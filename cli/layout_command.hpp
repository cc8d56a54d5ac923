// cli/layout_command.hpp - `weft layout`: which chunk shape a dataset should have, and what reading it will cost.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_layout_command(CLI::App& app);

}  // namespace weft::cli
