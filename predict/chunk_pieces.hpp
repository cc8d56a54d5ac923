// predict/chunk_pieces.hpp - where the values of a box lie in an array that is stored in chunks, one behind the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/mpi_io.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

// An array from the file's offset 0 on. One chunk of all its extents: an array that is not cut.
struct ChunkedArray {
  Shape extents;
  Shape chunk;
  std::uint64_t element_bytes = 1;
  std::uint64_t pitch_bytes = 0;  // from one chunk to the next; 0: one behind the other
};

// So many would take seconds to count.
inline constexpr std::size_t kMostPieces = 4'000'000;

// What a rank gives to MPI-IO that writes `box` from memory of shape `memory`, of which it is the first part. A piece
// does not reach over a chunk's end, but may touch the next. Nothing where there are more than kMostPieces.
//
// Example: 5 x 6 values in chunks of 5 x 4, all of them from memory of 5 x 6: a piece of 20 values (5 rows of 4), and 5
// pieces of 2 behind it, from 20, 24, .. on.
std::optional<Given> given_of(const ChunkedArray& array, const Box& box, const Shape& memory);

// Of a call in which each rank writes its box: boxes of no elements are allowed. Nothing where it is not known.
std::optional<Requests> written_together(const ChunkedArray& array, const std::vector<Box>& boxes,
                                         const std::vector<Shape>& memory);

}  // namespace weft::predict
