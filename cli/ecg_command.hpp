// cli/ecg_command.hpp - `weft ecg`: what electrodes around a heart would have recorded.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output and throws weft::Error.
void add_ecg_command(CLI::App& app);

}  // namespace weft::cli
