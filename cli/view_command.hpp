// cli/view_command.hpp - `weft view`: make a file open in ParaView and VTK, copying no data.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_view_command(CLI::App& app);

}  // namespace weft::cli
