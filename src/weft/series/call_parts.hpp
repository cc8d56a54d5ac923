// weft/series/call_parts.hpp - cutting one large array write into calls an MPI library can take. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/support/shape.hpp"

namespace weft::series {

// Boxes that tile an array of `count`, each of at most `limit` bytes (or of one element, if that is more). The node
// axis (1) is cut first, as chunks are seldom whole along it anyway, then the steps, then the axes behind. An empty
// array has no parts.
//
// Example: (151, 1626658, 2) doubles with a limit of 1 GiB: 4 parts of (151, 444,429 or less, 2).
std::vector<Box> call_parts(const Shape& count, std::uint64_t element_bytes, std::uint64_t limit);

}  // namespace weft::series
