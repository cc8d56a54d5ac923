// cli/inspect_command.hpp - `weft inspect`: what any HDF5 file holds, what reading it costs each way, what to do.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_inspect_command(CLI::App& app);

}  // namespace weft::cli
