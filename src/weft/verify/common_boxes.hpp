// weft/verify/common_boxes.hpp - the boxes in which two datasets of one shape and two layouts are walked together, so
// that as few bytes as possible are read twice. Pure arithmetic.
//
// Where both sides' chunks fit into a box that memory can hold, each chunk is read once. Where they do not, something
// has to be read again, and the box is the one for which that is least.
//
// Worked: (151, 400000, 2) doubles, chunks of (16, 4096, 2) on one side and (151, 434, 2) on the other, both filtered,
// and boxes of at most 64 MiB. A box that begins and ends with chunks of both sides would be 888,832 nodes wide, more
// than there are. (151, 24576, 2) is 56.6 MiB and six chunks of the first side wide, which are then read once; it cuts
// through a chunk of the second side 16 times, of 922, so 1.7 % of that side are read twice.
#pragma once

#include <cstdint>

#include "weft/support/shape.hpp"

namespace weft::verify {

// How one side can be read.
struct Side {
  Shape chunk;               // the shape itself where there are no chunks
  bool whole_chunks = true;  // a chunk costs all of its bytes, whatever is wanted of it
};

struct CommonBoxes {
  Shape box;
  std::uint64_t left_bytes = 0;  // that are read of each side, in all
  std::uint64_t right_bytes = 0;
};

// The best boxes of at most `most_bytes`, or of one element. Every extent of shape and chunks is at least 1.
CommonBoxes common_boxes(const Shape& shape, std::uint64_t element_bytes, const Side& left, const Side& right,
                         std::uint64_t most_bytes);

}  // namespace weft::verify
