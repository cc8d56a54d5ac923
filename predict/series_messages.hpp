// predict/series_messages.hpp - the messages of a series, and whose its tiles are, exactly: who holds what of each
// tile, and who writes it.
//
// The same rule as the engine's (partition/move_plan.hpp), from boxes and not from every element, so that it does for
// thousands of ranks. Pure.
#pragma once

#include <optional>
#include <vector>

#include "predict/series_shape.hpp"
#include "weft/series/window_length.hpp"

namespace weft::predict {

// Of one window: messages of all fields to one rank travel together.
struct WindowMessages {
  std::uint64_t count = 0;
  std::uint64_t step_bytes = 0;            // of each of its steps
  std::vector<series::WindowNeeds> needs;  // of each rank
  std::vector<std::uint64_t> plan_bytes;   // that its plans take of its budget
  std::vector<bool> owners;                // whether it has a tile to write
  // Of the steps' times and then of each field, of each rank: how many of its tiles follow one another, run after run.
  std::vector<std::vector<std::vector<std::uint64_t>>> tile_runs;

  // The steps of a window that every rank's budget holds, at most `chunk_steps`. Throws Error(usage) as the engine does
  // where some rank's does not hold one.
  std::uint64_t steps_that_fit(std::uint64_t budget_bytes, std::uint64_t chunk_steps) const;
};

// Nothing where shape.owned does not say what a rank holds, or where ranks and tiles meet too often to look at each.
std::optional<WindowMessages> window_messages(const SeriesShape& shape, const partition::Writers& writers);

}  // namespace weft::predict
