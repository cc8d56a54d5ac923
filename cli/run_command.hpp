// cli/run_command.hpp - `weft run KERNEL`: an application's I/O without its computing.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers `run` with its kernels. Built without MPI, the subcommand says what is missing.
void add_run_command(CLI::App& app);

}  // namespace weft::cli
