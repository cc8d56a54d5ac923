// weft/series/window_length.hpp - how many steps a rank gathers before it flushes. Pure arithmetic.
//
// Memory decides: two windows (one fills while the other is written) and one set of mail must fit the budget. Within
// that, a window never gathers more than the steps of a chunk, as whole chunks cannot be written in fewer requests; and
// the steps of a chunk are shared evenly among its windows, as no window reaches over the edge of a chunk.
//
// Example: 26.0 MB a step on a rank, budget 256 MiB, chunks of 19 steps: 5 steps fit twice, a chunk takes 4 windows, of
// 5, 5, 5 and 4 steps; one of 17 steps takes 5, 4, 4 and 4. (Were it 5, 5, 5 and 2, the simulation would be through
// with the last long before the one before it is written, and wait.)
#pragma once

#include <cstdint>

namespace weft::series {

struct WindowNeeds {
  std::uint64_t tile_bytes_per_step = 0;      // the rank's tiles of all fields
  std::uint64_t mail_bytes_per_step = 0;      // outbox and inbox
  std::uint64_t filtered_bytes_per_step = 0;  // of the tiles, those whose chunks are filtered: into a third window
};

// The steps that fit, at most `chunk_steps`; 0 where not even one does.
std::uint64_t steps_that_fit(const WindowNeeds& needs, std::uint64_t budget_bytes, std::uint64_t chunk_steps);

// The budget with which one step fits.
std::uint64_t least_budget(const WindowNeeds& needs);

// `fitting` shared evenly over the windows of a chunk: ceil(19 / ceil(19 / 5)) = 5.
std::uint64_t window_steps(std::uint64_t fitting, std::uint64_t chunk_steps);

// The end of the window that `step` lies in, where windows of at most `window_steps` share a chunk's steps evenly, none
// reaching over the segment's end. All count from the segment's start.
std::uint64_t window_end(std::uint64_t step, std::uint64_t window_steps, std::uint64_t chunk_steps,
                         std::uint64_t segment_steps);

}  // namespace weft::series
