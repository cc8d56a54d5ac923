// kernels/mhm/problem_folders.hpp - what the program leaves before its first output: a folder for each local problem
// with three small files, element.txt, parameters.txt and mesh.txt. docs/kernels/mhm.md has them byte by byte.
#pragma once

#include "kernels/mhm/mhm_options.hpp"
#include "weft/partition/ownership.hpp"

namespace weft::kernels::mhm {

// Those of these problems. Throws Error(system). Not collective.
void make_problem_folders(const std::string& out, const MhmOptions& options, const partition::Block& problems);

}  // namespace weft::kernels::mhm
