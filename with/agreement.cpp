#include "with/agreement.hpp"

namespace weft::with {

namespace {

constexpr std::int64_t kNeutral = std::numeric_limits<std::int64_t>::min();  // of a greatest value

// What is sent, one after the other; the lanes come last.
enum Place : std::size_t {
  refuses,
  something,
  axis,
  minus_axis,
  index,
  minus_index,
  step_bytes,
  lanes,
  nanoseconds,
  full,
  late,
  first_lane
};

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

Agreement agree(const Offer& offer, const Ranks* ranks) {
  std::vector<std::int64_t> values(first_lane + kMostLanes, kNeutral);
  values[refuses] = offer.step ? 0 : 1;
  values[something] = offer.step && !offer.step->nothing() ? 1 : 0;
  if (values[something] == 1) {
    values[axis] = number(offer.step->axis);
    values[minus_axis] = -values[axis];
    values[index] = number(offer.step->index());
    values[minus_index] = -values[index];
    values[step_bytes] = number(element_count(offer.step->box.count) * offer.element_bytes);
  }
  values[lanes] = number(offer.waiting_lanes + 1);
  values[nanoseconds] = static_cast<std::int64_t>(offer.trial_seconds * 1e9);
  values[full] = offer.full ? 1 : 0;
  values[late] = offer.late ? 1 : 0;
  for (std::size_t lane = 0; lane < kMostLanes; ++lane) {
    values[first_lane + lane] = lane >= offer.misfits.size() || offer.misfits[lane] ? 1 : 0;
  }
  if (ranks != nullptr) ranks->greatest(values);

  Agreement agreed;
  agreed.nothing_at_all = values[refuses] == 0 && values[something] == 0;
  agreed.is_step = values[refuses] == 0 && values[something] == 1 && values[axis] == -values[minus_axis] &&
                   values[index] == -values[minus_index];
  if (!agreed.is_step) return agreed;
  agreed.axis = static_cast<std::size_t>(values[axis]);
  agreed.index = static_cast<std::uint64_t>(values[index]);
  agreed.step_bytes = static_cast<std::uint64_t>(values[step_bytes]);
  agreed.lanes = static_cast<std::uint64_t>(values[lanes]);
  agreed.trial_seconds = static_cast<double>(values[nanoseconds]) * 1e-9;
  agreed.full = values[full] == 1;
  agreed.late = values[late] == 1;
  for (std::size_t lane = 0; lane < kMostLanes && agreed.lane == Agreement::kNewLane; ++lane) {
    if (values[first_lane + lane] == 0) agreed.lane = lane;
  }
  return agreed;
}

Box bounds_of(const Step& step, std::size_t axes, const Ranks* ranks) {
  std::vector<std::int64_t> values(2 * axes, kNeutral);
  for (std::size_t axis = 0; !step.nothing() && axis < axes; ++axis) {
    values[axis] = -number(step.box.start[axis]);
    values[axes + axis] = number(step.box.start[axis] + step.box.count[axis]);
  }
  if (ranks != nullptr) ranks->greatest(values);
  Box bounds;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    bounds.start.push_back(static_cast<std::uint64_t>(-values[axis]));
    bounds.count.push_back(static_cast<std::uint64_t>(values[axes + axis]) - bounds.start.back());
  }
  return bounds;
}

bool all_can(bool own, const Ranks* ranks) {
  std::vector<std::int64_t> cannot{own ? 0 : 1};
  if (ranks != nullptr) ranks->greatest(cannot);
  return cannot.front() == 0;
}

}  // namespace weft::with
