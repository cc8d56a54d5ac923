// cli/with_command.hpp - `weft with`: a program that nobody will change, watched or helped.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback starts the program, waits for it and ends as it ended; throws weft::Error
// where it cannot be started so.
void add_with_command(CLI::App& app);

}  // namespace weft::cli
