// cli/convert_command.hpp - `weft convert`: copies of a series in formats of others.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_convert_command(CLI::App& app);

}  // namespace weft::cli
