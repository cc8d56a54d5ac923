// weft probe - what requests cost on a file system.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

void add_probe_command(CLI::App& app);

}  // namespace weft::cli
