// cli/versions.hpp - what `weft --version` prints: Weft's version, and of what it runs on, a line each.
#pragma once

#include <string>

namespace weft::cli {

std::string versions();

}  // namespace weft::cli
