// with/agreement.hpp - whether a write waits, and with which steps: one answer of all ranks that take part in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "with/ranks.hpp"
#include "with/step_window.hpp"

namespace weft::with {

inline constexpr std::size_t kMostLanes = 8;  // parts of one dataset whose steps wait side by side

// What one rank sees of a write.
struct Offer {
  std::optional<Step> step;  // none: it is no step that may wait
  std::uint64_t element_bytes = 0;
  std::vector<bool> misfits;  // for each lane: this is not its next step
  std::uint64_t waiting_lanes = 0;
  double trial_seconds = 0;  // that a step took which passed through
  bool full = false;         // a lane has no room for another step
  bool late = false;         // steps have waited long enough
};

struct Agreement {
  static constexpr std::size_t kNewLane = std::numeric_limits<std::size_t>::max();

  bool nothing_at_all = false;  // no rank selects anything
  bool is_step = false;         // on every rank that selects something the same step, along the same axis
  std::size_t axis = 0;
  std::uint64_t index = 0;
  std::size_t lane = kNewLane;   // the first that it fits, on every rank
  std::uint64_t step_bytes = 0;  // the most on any rank
  std::uint64_t lanes = 0;       // the most on any rank, this one included
  double trial_seconds = 0;      // the most on any rank
  bool full = false;
  bool late = false;
};

// Collective over `ranks`; where they are null one process decides for itself.
Agreement agree(const Offer& offer, const Ranks* ranks);

// What the parts of all ranks lie in, of a dataset with so many axes. Collective, as agree().
Box bounds_of(const Step& step, std::size_t axes, const Ranks* ranks);

// Whether it is so on all ranks. Collective, as agree().
bool all_can(bool own, const Ranks* ranks);

}  // namespace weft::with
