// cli/kernel_commands.hpp - the commands that take a kernel: `weft run` does an application's I/O without its
// computing, `weft predict` says what that would take on a store, `weft advise` ranks the ways to do it.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>

namespace weft::cli {

// The same options say what to run, what to predict and what to give advice on.
enum class KernelUse : std::uint8_t { run, predict, advise };

// Each registers its command with all kernels. Built without MPI, the command says what is missing.
void add_run_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_advise_command(CLI::App& app);

}  // namespace weft::cli
