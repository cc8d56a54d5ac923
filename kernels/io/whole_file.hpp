// kernels/io/whole_file.hpp - whether a file that was written through MPI-IO is all there.
//
// A collective write is done by aggregators, and not every MPI says so when one of them meets a full disk: Open MPI
// 4.1's own MPI-IO (OMPIO) prints a warning and returns success. So whoever writes collectively looks afterwards.
#pragma once

#include <cstdint>
#include <string>

namespace weft::kernels {

// Throws Error(system) where the file has not that many bytes, or bytes of it were never written and the disk has no
// room for them. (Holes alone prove nothing: some file systems make them of zeros.) For a file that is closed on all
// ranks; one of them looks. Not collective.
void check_whole(const std::string& path, std::uint64_t bytes);

}  // namespace weft::kernels
