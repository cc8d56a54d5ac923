// cli/refs_command.hpp - `weft refs`: where the chunks of a file lie, for readers of zarr.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_refs_command(CLI::App& app);

}  // namespace weft::cli
