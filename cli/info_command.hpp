// cli/info_command.hpp - `weft info`: what a Weft file holds, who wrote it and how far it got.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_info_command(CLI::App& app);

}  // namespace weft::cli
