// cli/import_command.hpp - the command `weft import`.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

void add_import_command(CLI::App& app);

}  // namespace weft::cli
