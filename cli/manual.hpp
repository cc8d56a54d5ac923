// cli/manual.hpp - manual pages and bash completion, made of the same words as --help.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace weft::cli {

// The words a command is called by: {"weft", "run", "ecg"}.
std::vector<std::string> words_of(const CLI::App& command);

// The subcommands that --help lists, in its order.
std::vector<const CLI::App*> shown_commands(const CLI::App& command);

// The command's page, weft-run-ecg(1), as roff.
std::string manual_page(const CLI::App& command);

// A script for bash: commands, their options, and names of files for everything else.
std::string bash_completion(const CLI::App& weft);

// Registers `weft manual FOLDER`, which --help does not list: it writes FOLDER/man1/weft.1, weft-run.1, ... and
// FOLDER/completions/weft. The build calls it, and `cmake --install` puts them where man and bash look.
void add_manual_command(CLI::App& weft);

}  // namespace weft::cli
