// cli/program_check.hpp - whether a library can be loaded before a program.
#pragma once

#include <string>

namespace weft::cli {

// The file that `name` starts, as a shell would find it. Throws Error(usage) where there is none.
std::string find_program(const std::string& name);

// Throws Error(usage) for a program that the loader gives no library of ours: statically linked, set-user-ID or with
// capabilities, or made for another processor. Of a script its interpreter is meant.
void check_program(const std::string& path);

}  // namespace weft::cli
