// cli/verify_command.hpp - `weft verify`: whether a file is sound, or two files hold the same.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback prints to standard output, does its work in a process of its own
// (support/own_process.hpp), and throws weft::Error, or CLI::RuntimeError with the exit code where all is not well.
void add_verify_command(CLI::App& app);

}  // namespace weft::cli
