// cli/with_command.hpp - `weft with`: a program that nobody will change, watched or helped.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

// Registers the subcommand. Its callback starts the program, waits for it and ends as it ended; throws weft::Error
// where it cannot be started so.
void add_with_command(CLI::App& app);

// `weft with OPTIONS -- PROGRAM`: which word of argv is the "--", or 0 where there is none. To CLI11 it would end the
// options of every command, and leave the program over. A "--" behind the program's name is the program's.
int separator_of_with(const CLI::App& app, int argc, char** argv);

}  // namespace weft::cli
