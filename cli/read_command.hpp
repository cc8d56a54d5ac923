// cli/read_command.hpp - `weft read`: a trace, a snapshot or any box of a field, and what it took to read it.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_read_command(CLI::App& app);

}  // namespace weft::cli
