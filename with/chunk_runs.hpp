// with/chunk_runs.hpp - which bytes of a chunk some boxes of the dataset fill. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/support/shape.hpp"

namespace weft::with {

struct ByteRun {
  std::uint64_t offset;  // from the beginning of the chunk
  std::uint64_t bytes;
  bool operator==(const ByteRun&) const = default;
};

// `boxes` share no element; runs that touch are joined, and they rise. A chunk is row-major, all of its shape.
std::vector<ByteRun> runs_in_chunk(const Box& chunk, const std::vector<Box>& boxes, std::uint64_t element_bytes);

// A box that reaches the end of the dataset along an axis, made longer to the end of the chunk there: what a chunk has
// beyond the dataset belongs to whoever has what is before it. The step axis, the first, is left as it is.
Box with_padding(const Box& box, const Shape& extents, const Box& chunk);

}  // namespace weft::with
