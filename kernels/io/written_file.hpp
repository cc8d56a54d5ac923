// kernels/io/written_file.hpp - whether a file holds what was written through MPI-IO.
//
// Needed because MPI need not tell: Open MPI's OMPIO (4.1.4) takes the short write that a full disk answers with for a
// whole one, and a collective write succeeds on all ranks.
#pragma once

#include <cstdint>
#include <string>

namespace weft::kernels {

// Throws Error(system) where the file is not of this length, or its file system has no room left, so that parts within
// may be missing. Not collective: for one rank, after the file was closed.
void check_written(const std::string& path, std::uint64_t bytes);

}  // namespace weft::kernels
