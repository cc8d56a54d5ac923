// cli/companions.hpp - commands that are programs of their own: `weft X` is `weft-X`, beside this program or on the
// PATH, as git has it. The Python side's are found so (weft campaign, weft report).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

// The program for a command's name; nothing where there is none, or the name could not be one.
std::optional<std::string> find_companion(const std::string& name);

// The names of all that are found, sorted.
std::vector<std::string> companions();

// A file of this weft that nobody calls by its name, in lib/weft as it was built or is installed. Throws Error(system)
// where it is missing.
std::string own_file(const std::string& name);

// Becomes that program, with the arguments behind the name; argv is main's. It is told by the environment (WEFT) which
// weft called it. Throws Error(system) where it cannot be started; does not return else.
void become_companion(const std::string& program, char** argv);

}  // namespace weft::cli
