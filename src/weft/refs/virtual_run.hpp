// weft/refs/virtual_run.hpp - virtual datasets that show one run of another's bytes.
//
// Zarr has no virtual datasets, and kerchunk shows the fill value for them, which is wrong. But one whose rows (of its
// first axis) show elements that lie one behind the other in a contiguous dataset of the same file has these rows for
// chunks; rows that nothing is shown in are the fill value. The maps of a run are such ones. Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>

#include "weft/support/shape.hpp"

namespace weft::refs {

// Rows [first, first + rows) of the dataset; their bytes begin at `at` and follow each other.
struct VirtualRun {
  std::uint64_t at = 0;
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
};

// Nothing where the dataset shows anything else. `shape`: its own.
std::optional<VirtualRun> virtual_run(hid_t file, hid_t dataset, const Shape& shape);

// The number of the first element of a box in an array of this shape, where its elements lie one behind the other.
// Worked: of (4, 6), rows [1, 3) begin at 6; columns [2, 5) of row 1 at 8; columns [2, 5) of two rows are no run.
std::optional<std::uint64_t> first_of_run(const Shape& shape, const Box& box);

}  // namespace weft::refs
