// predict/series_messages.hpp - the messages of a series, exactly: who holds what of each tile, and who writes it.
//
// The same rule as the engine's (partition/move_plan.hpp), from boxes and not from every element, so that it does for
// thousands of ranks. Pure.
#pragma once

#include <optional>

#include "predict/series_work.hpp"
#include "weft/series/window_length.hpp"

namespace weft::predict {

// Of one window: messages of all fields to one rank travel together.
struct WindowMessages {
  std::uint64_t count = 0;
  std::uint64_t step_bytes = 0;  // of each of its steps
  series::WindowNeeds needs;     // of the rank that needs most
  std::vector<bool> owners;      // the ranks that have a tile to write
};

// Nothing where shape.owned does not say what a rank holds, or where ranks and tiles meet too often to look at each.
std::optional<WindowMessages> window_messages(const SeriesShape& shape, const partition::Writers& writers);

}  // namespace weft::predict
