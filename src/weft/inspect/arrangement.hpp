// weft/inspect/arrangement.hpp - how a dataset's elements lie in its file, ready to be priced and read.
//
// Reads are boxes of the dataset as it is seen (known_axes.hpp). Where its chunks are boxes of that too, so is the
// arrangement; where they are not (VTKHDF's steps * nodes in chunks that straddle steps), it is that of the file, and a
// box becomes several.
//
// Worked: 150 elements seen as 5 steps of 30 nodes. In one piece, or in chunks of 60 or of 10, node 7 over all steps is
// the box [0:5, 7]; in chunks of 45 it is the five boxes [7], [37], [67], [97], [127] of the 150.
//
// Pure data. Not collective.
#pragma once

#include <optional>
#include <vector>

#include "weft/layout/chunk_grid.hpp"
#include "weft/layout/read_cost.hpp"
#include "weft/support/shape.hpp"
#include "weft/survey/known_axes.hpp"
#include "weft/survey/survey.hpp"

namespace weft::inspect {

struct Arrangement {
  layout::ChunkGrid grid;  // ChunkGrid::contiguous where it lies in one piece
  bool chunked = true;
  bool filtered = false;
  double mean_chunk_bytes = 0;  // as stored, where it is filtered
  double decode_seconds = 0;    // of one chunk on one core, where it is filtered
  bool as_seen = true;
};

// What reading a dataset of these filters costs beside bytes; nothing without filters. Chunks keep the share of their
// bytes that they have in the file where the filters are those it has; of others it is not known, and taken as all.
std::optional<layout::Coding> coding_of(const survey::DatasetFacts& facts, const std::vector<storage::Filter>& filters);

// Nothing where there is nothing to place: no elements, or elements in the dataset's header or in other datasets.
// Throws Error(usage) where it is larger than 2^63 - 1 bytes, padding included.
std::optional<Arrangement> arrangement_of(const survey::DatasetFacts& facts, const survey::KnownAxes& known);

// The same dataset in other chunks, its filters shrinking them as they do now; `chunk` is one of the dataset as seen.
Arrangement rearranged(const survey::DatasetFacts& facts, const survey::KnownAxes& known, const Shape& chunk);

// A box of the dataset as seen, as boxes of the arrangement, in the order of the file.
std::vector<Box> boxes_in(const Arrangement& stored, const survey::KnownAxes& known, const Box& seen);

}  // namespace weft::inspect
