// weft/repack/regions.hpp - in which pieces a dataset is moved from one chunk shape to another. Pure arithmetic.
//
// A region is a box of the dataset that is held in memory: its elements are read, its target chunks are put together
// from them and written. Regions tile the dataset from its origin. What they must be multiples of:
//   - of the source's chunks where those have to be decoded whole (filters), so that each is decoded once;
//   - of the target's chunks where those have to be encoded whole.
// Where both hold and a common multiple is more than the memory, the target's chunks are gathered in a spill file,
// undecoded: then the first pass need only respect the source, the second only the target. A region is made longer
// along the axis that makes the pieces moved in one stretch longer, up to a comfortable size.
//
// Worked: 151x400000x2 doubles from contiguous rows to chunks of 19x3449x2, neither filtered, 1 GiB: a region of
// 19x400000x2 (122 MB), which is a few rows of the file in one piece and 116 whole chunks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/support/shape.hpp"

namespace weft::repack {

struct MoveRequest {
  std::string name;  // for messages: the dataset
  Shape shape;
  std::uint64_t element_bytes = 8;
  Shape source_chunk;         // the whole shape where it is contiguous
  bool decode_whole = false;  // the source's chunks can only be read whole
  Shape target_chunk;
  bool encode_whole = false;  // the target's chunks can only be written whole
  std::uint64_t budget_bytes = 1ULL << 30;
  std::uint64_t workers = 1;
};

// One pass over the dataset.
struct Pass {
  Shape region;
  std::uint64_t region_bytes = 0;      // memory of one region
  std::uint64_t in_flight = 2;         // regions in memory at a time
  std::uint64_t chunks_in_flight = 2;  // being decoded or encoded, or waiting to be written, at a time

  std::uint64_t regions(const Shape& shape) const;
};

struct MovePlan {
  Pass first;
  bool spill = false;
  Pass second;                    // from the spill file; only where there is one
  std::uint64_t spill_bytes = 0;  // of the file beside the target

  std::string describe() const;  // one line
};

// Throws Error(usage) naming the budget that is needed where one chunk is more than the memory.
MovePlan plan_move(const MoveRequest& request);

// The regions that hold something of boxes of `chunk` elements at these places: ascending, each once.
std::vector<std::uint64_t> regions_touched(const Shape& shape, const Shape& region, const Shape& chunk,
                                           const std::vector<Shape>& origins);

// Region number `number`, clipped to the shape; numbered row-major.
Box region_box(const Shape& shape, const Shape& region, std::uint64_t number);

}  // namespace weft::repack
