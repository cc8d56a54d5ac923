// kernels/mhm/file_names.hpp - how the program names what it writes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace weft::kernels::mhm {

// "problem_00012", a local problem's folder.
inline std::string problem_folder_name(std::uint64_t problem) { return fmt::format("problem_{:05}", problem); }

// "solution_0003.txt", an output phase's file.
inline std::string solution_file_name(std::uint64_t phase) { return fmt::format("solution_{:04}.txt", phase); }

}  // namespace weft::kernels::mhm
