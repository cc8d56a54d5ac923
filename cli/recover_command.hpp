// cli/recover_command.hpp - `weft recover`: a file put right after a crash.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output, does its work in a process of its own
// (support/own_process.hpp) and throws weft::Error.
void add_recover_command(CLI::App& app);

}  // namespace weft::cli
