#include "weft/reduce/running_beats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/reduce/beats.hpp"

namespace weft::reduce {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Samples kept around an onset where there is a duration: they reach 3 intervals back, which a sharp upstroke does not
// take when there is a sample every millisecond.
constexpr std::size_t kLeastKept = 4;
constexpr std::uint16_t kMostBeats = std::numeric_limits<std::uint16_t>::max();

// The same words as in beats.hpp, so that the same bits come out.
double target_of(double resting, double peak, double percent) {
  return resting + (100.0 - percent) / 100.0 * (peak - resting);
}

}  // namespace

RunningBeats::RunningBeats(std::span<const Quantity> quantities, double threshold) : threshold_(threshold) {
  for (const Quantity& quantity : quantities) {
    if (!quantity.per_beat()) continue;
    has_upstroke_ = has_upstroke_ || quantity.kind == Kind::upstroke_time ||
                    quantity.kind == Kind::max_upstroke_velocity || quantity.kind == Kind::conduction_velocity;
    if (quantity.kind == Kind::apd) {
      apds_.push_back(quantities_.size());
      most_percent_ = std::max(most_percent_, quantity.percent);
    }
    quantities_.push_back(quantity);
  }
  if (apds_.empty()) return;
  duration_slots_ = std::max(kLeastKept, 2 * apds_.size());  // samples in a beat; then two of each duration
}

void RunningBeats::begin(NodeBeats& node, std::span<double> slots) const {
  node = NodeBeats();
  node.level = node.value = kInfinity;
  if (!has_upstroke_) return;
  slots[0] = -kInfinity;
  slots[1] = kMissing;
}

void RunningBeats::see(NodeBeats& node, std::span<double> slots, const Samples& samples, std::uint64_t number,
                       std::span<const double> times, BeatSink& sink) const {
  const auto& [v, t, first_new] = samples;
  for (std::size_t i = std::max<std::size_t>(first_new, 1); i < v.size() && !node.gave_up; ++i) {
    const double now = v[i];
    const double before = v[i - 1];
    if (has_upstroke_ || !node.in_beat) {
      const double slope = (now - before) / (t[i] - t[i - 1]);
      if (has_upstroke_ && slope >= slots[0]) {
        slots[0] = slope;
        slots[1] = t[i];
      }
      if (!node.in_beat) {
        const double flatness = std::fabs(slope);
        if (flatness <= kMostRestingSlope && flatness <= node.level) {
          node.level = flatness;
          node.value = before;
        } else if (node.level == kInfinity) {
          if (before < node.value) node.value = before;
        }
      }
    }
    if (!node.in_beat) {
      if (now > threshold_ && before <= threshold_) rise(node, slots, samples, i, number + i - first_new, sink);
    }
    if (node.in_beat) {
      if (now > node.value) node.value = now;
      if (now < threshold_ && before >= threshold_) end_beat(node, slots, times, sink);
    }
    if (node.falling) fall(node, slots, samples, i, sink);
  }
}

// A beat begins in the interval that ends with sample i.
void RunningBeats::rise(NodeBeats& node, std::span<double> slots, const Samples& samples, std::size_t i,
                        std::uint64_t number, BeatSink& sink) const {
  const auto& [v, t, first_new] = samples;
  if (node.falling || node.begun == kMostBeats) {  // whether the beat before reaches into this one is not known yet
    node.gave_up = true;
    return;
  }
  const double resting = node.value;
  node.in_beat = true;
  node.onset = static_cast<std::uint32_t>(number);
  ++node.begun;
  say(node, Kind::activation_time, crossing_time(t[i - 1], v[i - 1], t[i], v[i], threshold_), sink);
  say(node, Kind::resting, resting, sink);
  if (!apds_.empty()) {
    // Back to a sample that lies below every target there may be: the peak is above the threshold.
    const double least_target = target_of(resting, threshold_, most_percent_);
    const std::span<double> kept = durations(slots);
    node.kept = 0;
    const std::size_t room = std::min<std::size_t>(kept.size(), std::numeric_limits<std::uint8_t>::max());
    for (std::size_t j = i + 1; j-- > 0 && node.kept < room;) {
      kept[node.kept++] = v[j];
      if (j < i && v[j] <= least_target) break;
    }
  }
  node.level = resting;
  node.value = v[i];
}

void RunningBeats::end_beat(NodeBeats& node, std::span<double> slots, std::span<const double> times,
                            BeatSink& sink) const {
  const double resting = node.level;
  const double peak = node.value;
  say(node, Kind::peak, peak, sink);
  if (has_upstroke_) {
    say(node, Kind::max_upstroke_velocity, slots[0], sink);
    say(node, Kind::upstroke_time, slots[1], sink);
    say(node, Kind::conduction_velocity, slots[1], sink);
    slots[0] = -kInfinity;
    slots[1] = kMissing;
  }
  node.in_beat = false;
  node.level = node.value = kInfinity;
  if (node.gave_up) return;
  std::vector<double> waiting;  // target and beginning of each duration; a beginning of NaN waits for nothing
  for (const std::size_t apd : apds_) {
    const double target = target_of(resting, peak, quantities_[apd].percent);
    double beginning = kMissing;
    if (target < threshold_) {
      const std::span<const double> kept = durations(slots).first(node.kept);
      std::size_t j = 0;  // the interval from sample onset - j - 1 to onset - j
      while (j + 1 < kept.size() && !(kept[j] > target && kept[j + 1] <= target)) ++j;
      if (j + 1 < kept.size()) {
        const std::uint64_t right = node.onset - j;
        beginning = crossing_time(times[right - 1], kept[j + 1], times[right], kept[j], target);
      } else if (node.onset + 1 > node.kept) {
        node.gave_up = true;
        return;
      }
    } else {
      node.gave_up = true;
      return;
    }
    waiting.insert(waiting.end(), {target, beginning});
    node.falling = node.falling || !std::isnan(beginning);
  }
  std::copy(waiting.begin(), waiting.end(), durations(slots).begin());
  if (!node.falling) sink.settled(node.begun - 1U);
}

// Whether v falls through a target in the interval that ends with sample i.
void RunningBeats::fall(NodeBeats& node, std::span<double> slots, const Samples& samples, std::size_t i,
                        BeatSink& sink) const {
  const auto& [v, t, first_new] = samples;
  const std::span<double> waiting = durations(slots);
  bool more = false;
  for (std::size_t a = 0; a < apds_.size(); ++a) {
    const double target = waiting[2 * a];
    double& beginning = waiting[2 * a + 1];
    if (std::isnan(beginning)) continue;
    if (!(v[i] < target && v[i - 1] >= target)) {
      more = true;
      continue;
    }
    const double end = crossing_time(t[i - 1], v[i - 1], t[i], v[i], target);
    if (end > t[i]) node.gave_up = true;  // by rounding; the next beat's onset might lie before it
    if (!sink.value(apds_[a], node.begun - 1U, end - beginning)) node.gave_up = true;
    beginning = kMissing;
  }
  node.falling = more;
  if (!more) sink.settled(node.begun - 1U);
}

double RunningBeats::greatest_target(std::span<const double> slots) const {
  const std::span<const double> waiting = slots.last(duration_slots_);
  double greatest = -kInfinity;
  for (std::size_t a = 0; a < apds_.size(); ++a) {
    if (!std::isnan(waiting[2 * a + 1])) greatest = std::max(greatest, waiting[2 * a]);
  }
  return greatest;
}

void RunningBeats::finish(NodeBeats& node, std::span<double> slots, BeatSink& sink) const {
  if (node.gave_up || !node.in_beat) return;
  say(node, Kind::peak, node.value, sink);
  if (!has_upstroke_) return;
  say(node, Kind::max_upstroke_velocity, slots[0], sink);
  say(node, Kind::upstroke_time, slots[1], sink);
  say(node, Kind::conduction_velocity, slots[1], sink);
}

void RunningBeats::say(NodeBeats& node, Kind kind, double value, BeatSink& sink) const {
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    if (quantities_[q].kind == kind && !sink.value(q, node.begun - 1U, value)) node.gave_up = true;
  }
}

}  // namespace weft::reduce
