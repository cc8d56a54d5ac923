// weft/layout/chunk_search.hpp - the search behind layout/design's `reads` algorithm.
//
// The rules a chunk must keep and the sum it must make least stand in design.hpp. The sum has many small steps and no
// slope to follow (a chunk more or less, a gap just bridged or not), so the search is in two parts: a coarse grid over
// all axes at once, then refinement of the best grid points, one axis and one pair of axes at a time, over ever
// narrower ranges.
//
// Candidates are balanced: ceil(D / n) for a whole number n of chunks, the least extent that n chunks can have and so
// the one with the least padding. Against all balanced chunks of small datasets (design_test.cpp) the answer is the
// best one or within 2 % of it.
#pragma once

#include "weft/layout/design.hpp"
#include "weft/support/shape.hpp"

namespace weft::layout {

// `request` is checked and has its axes and reads filled in; one element fits its target.
Shape chunk_for_reads(const DesignRequest& request);

}  // namespace weft::layout
