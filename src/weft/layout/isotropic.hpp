// weft/layout/isotropic.hpp - chunks of about equal extent along every axis, from one target size in bytes.
//
// Algorithm 1 of Cardone-Noott et al. 2018 (doi 10.1371/journal.pone.0202410): an axis of extent D is cut into
// ceil(D / T) chunks of C = ceil(D / ceil(D / T)) elements, which is at most T and wastes little at the edge; the
// answer is the largest T whose chunk still fits the target.
//
// Worked, 151x3253316x2 of 8 bytes and 1 MiB: T = 434 gives ceil(151 / 1) = 151, ceil(3253316 / 7497) = 434 and 2, in
// all 151 * 434 * 2 * 8 = 1,048,544 bytes; T = 435 gives 435 nodes and 1,050,960 bytes, which is past 1,048,576.
#pragma once

#include <cstdint>

#include "weft/support/shape.hpp"

namespace weft::layout {

// Throws Error(usage) where the shape is empty or holds an extent of 0, and where one element is larger than the
// target. The chunk alone is decided here; ChunkGrid checks what HDF5 can store.
Shape isotropic_chunk(const Shape& shape, std::uint64_t element_bytes, std::uint64_t target_bytes);

}  // namespace weft::layout
