// kernels/awp/awp_types.hpp - how MPI-IO is told where in a file a rank's points belong.
//
// The rank's memory is one step of its block behind the other, x fastest, so what it writes is contiguous there; in the
// file it is pieces of as many points as the block is wide.
//
// Worked, 68 x 63 x 53 points and 20 steps: hindexed maps 4,541,040 values alone, in 54 MB of lengths and
// displacements; hindexed-rows maps 3,339 rows, and MPI repeats them every step; subarray is three times three numbers.
#pragma once

#include "kernels/awp/awp_kernel.hpp"
#include "kernels/io/mpi_file.hpp"

namespace weft::kernels::awp {

// What a mapped block takes of the arrays that are given to MPI: a length and a displacement.
inline constexpr std::uint64_t kBytesOfMappedBlock = sizeof(int) + sizeof(MPI_Aint);

// How many blocks a strategy maps explicitly for a part of so many points. Pure.
std::uint64_t mapped_blocks(AwpStrategy strategy, const Extent& part, std::uint64_t steps);

// The file type of a part in a file of `points` a step; the elements are MPI_FLOAT. Not collective.
MpiType awp_file_type(AwpStrategy strategy, const Extent& points, const GridPart& part, std::uint64_t steps);

}  // namespace weft::kernels::awp
