#include "weft/reduce/running_beats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/reduce/beats.hpp"

namespace weft::reduce {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Samples kept around an onset: the two it lies between, and where there is a duration at least two more. They reach 3
// intervals back, which a sharp upstroke does not take when there is a sample every millisecond.
constexpr std::size_t kKeptOfOnset = 2;
constexpr std::size_t kKeptOfDuration = 4;
constexpr std::uint16_t kMostBeats = std::numeric_limits<std::uint16_t>::max();

// The same words as in beats.hpp, so that the same bits come out.
double target_of(double resting, double peak, double percent) {
  return resting + (100.0 - percent) / 100.0 * (peak - resting);
}

}  // namespace

RunningBeats::RunningBeats(std::span<const Quantity> quantities, double threshold) : threshold_(threshold) {
  for (const Quantity& quantity : quantities) {
    if (!quantity.per_beat()) continue;
    has_upstroke_ = has_upstroke_ || quantity.is(BeatKind::upstroke_time) ||
                    quantity.is(BeatKind::max_upstroke_velocity) || quantity.is(BeatKind::conduction_velocity);
    if (quantity.is(BeatKind::apd)) {
      apds_.push_back(quantities_.size());
      most_percent_ = std::max(most_percent_, quantity.percent);
    }
    quantities_.push_back(quantity);
  }
  beat_slots_ = std::max(apds_.empty() ? kKeptOfOnset : kKeptOfDuration, quantities_.size() + apds_.size());
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
      if (now < threshold_ && before >= threshold_) end_beat(node, slots, times, true);
    }
    if (node.falling) fall(node, slots, samples, i);
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
  if (node.begun > 0 && !sink.beat(node.begun - 1U, last_beat(slots))) {
    node.gave_up = true;
    return;
  }
  const double resting = node.value;
  node.in_beat = true;
  node.onset = static_cast<std::uint32_t>(number);
  ++node.begun;
  // Back to a sample that lies below every target there may be: the peak is above the threshold.
  const double least_target = target_of(resting, threshold_, most_percent_);
  const std::span<double> kept = beat_of(slots);
  node.kept = 0;
  const std::size_t room = std::min<std::size_t>(kept.size(), std::numeric_limits<std::uint8_t>::max());
  for (std::size_t j = i + 1; j-- > 0 && node.kept < room;) {
    kept[node.kept++] = v[j];
    if (j < i && v[j] <= least_target) break;
  }
  node.level = resting;
  node.value = v[i];
}

// The kept samples give way to the values. Of a beat that is not complete there are no durations.
void RunningBeats::end_beat(NodeBeats& node, std::span<double> slots, std::span<const double> times,
                            bool is_complete) const {
  const double resting = node.level;
  const double peak = node.value;
  const std::span<double> beat = beat_of(slots);
  const std::vector<double> kept(beat.begin(), beat.begin() + node.kept);
  std::fill(beat.begin(), beat.end(), -kInfinity);
  node.in_beat = false;
  node.level = node.value = kInfinity;
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    switch (std::get<BeatKind>(quantities_[q].kind)) {
      case BeatKind::activation_time:
        beat[q] = crossing_time(times[node.onset - 1], kept[1], times[node.onset], kept[0], threshold_);
        break;
      case BeatKind::resting: beat[q] = resting; break;
      case BeatKind::peak: beat[q] = peak; break;
      case BeatKind::max_upstroke_velocity: beat[q] = slots[0]; break;
      case BeatKind::upstroke_time:
      case BeatKind::conduction_velocity: beat[q] = slots[1]; break;
      case BeatKind::apd: beat[q] = kMissing; break;  // below
    }
  }
  if (has_upstroke_) {
    slots[0] = -kInfinity;
    slots[1] = kMissing;
  }
  for (std::size_t a = 0; a < apds_.size() && is_complete; ++a) {
    const double target = target_of(resting, peak, quantities_[apds_[a]].percent);
    if (!(target < threshold_)) {
      node.gave_up = true;
      return;
    }
    std::size_t j = 0;  // the interval from sample onset - j - 1 to onset - j
    while (j + 1 < kept.size() && !(kept[j] > target && kept[j + 1] <= target)) ++j;
    if (j + 1 < kept.size()) {
      const std::uint64_t right = node.onset - j;
      beat[apds_[a]] = crossing_time(times[right - 1], kept[j + 1], times[right], kept[j], target);
      beat[quantities_.size() + a] = target;
      node.falling = true;
    } else if (node.onset + 1 > node.kept) {
      node.gave_up = true;
      return;
    }
  }
}

// Whether v falls through a target in the interval that ends with sample i.
void RunningBeats::fall(NodeBeats& node, std::span<double> slots, const Samples& samples, std::size_t i) const {
  const auto& [v, t, first_new] = samples;
  const std::span<double> beat = beat_of(slots);
  node.falling = false;
  for (std::size_t a = 0; a < apds_.size(); ++a) {
    double& target = beat[quantities_.size() + a];
    if (target == -kInfinity) continue;
    if (!(v[i] < target && v[i - 1] >= target)) {
      node.falling = true;
      continue;
    }
    const double end = crossing_time(t[i - 1], v[i - 1], t[i], v[i], target);
    if (end > t[i]) node.gave_up = true;  // by rounding; the next beat's onset might lie before it
    beat[apds_[a]] = end - beat[apds_[a]];
    target = -kInfinity;
  }
}

double RunningBeats::greatest_target(std::span<const double> slots) const {
  const std::span<const double> targets = slots.last(beat_slots_).subspan(quantities_.size(), apds_.size());
  return targets.empty() ? -kInfinity : *std::max_element(targets.begin(), targets.end());
}

void RunningBeats::finish(NodeBeats& node, std::span<double> slots, std::span<const double> times) const {
  if (node.gave_up) return;
  if (node.in_beat) end_beat(node, slots, times, false);
  if (!node.falling) return;
  const std::span<double> beat = beat_of(slots);
  for (std::size_t a = 0; a < apds_.size(); ++a) {
    if (beat[quantities_.size() + a] != -kInfinity) beat[apds_[a]] = kMissing;
  }
}

}  // namespace weft::reduce
