// weft/layout/reads.hpp - the reads a chunk shape is designed for.
//
// A user names what will be read and how often, "snapshot=1,trace=4"; here each name becomes a box of the dataset. The
// boxes lie in the middle of the dataset, where chunks are full, so that what they cost is what a read anywhere costs.
//
//   snapshot        one step, everything else whole
//   trace           one index along every spatial axis, all steps, all components
//   block           the share of one of `ranks` ranks, ceil(N / ranks) of the first spatial axis, over all steps
//   plane           one step, one index along the last spatial axis; plane:z picks the axis z (2 spatial axes or more)
//   box[0:151,7,:]  an explicit box: along each axis START:STOP (STOP exclusive), one index, or : for the whole
//
// Worked, for 151x400000x2: snapshot is box[75,:,:], trace is box[:,199999,:], and block on 4 ranks is
// box[:,100000:200000,:].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/layout/axes.hpp"
#include "weft/support/shape.hpp"

namespace weft::layout {

struct NamedRead {
  std::string name;
  double weight = 1;  // how much it counts beside the others; positive and finite
  Box box;
};

// One snapshot of the dataset.
Box snapshot_box(const Shape& shape, const Axes& axes);

// "snapshot=1,trace=4" -> the boxes. A weight left out is 1. `ranks` is needed by block alone and 0 where not known.
// Throws Error(usage), naming the part that cannot be used.
std::vector<NamedRead> parse_reads(std::string_view text, const Shape& shape, const Axes& axes, std::uint64_t ranks);

}  // namespace weft::layout
