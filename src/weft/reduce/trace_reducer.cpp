#include "weft/reduce/trace_reducer.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace weft::reduce {

namespace {

double of_beat(const Beat& beat, BeatKind kind) {
  switch (kind) {
    case BeatKind::activation_time: return beat.onset;
    case BeatKind::upstroke_time:
    case BeatKind::conduction_velocity: return beat.upstroke_time;  // and to_velocities() does the rest
    case BeatKind::max_upstroke_velocity: return beat.upstroke_velocity;
    case BeatKind::resting: return beat.resting;
    case BeatKind::peak: return beat.peak;
    case BeatKind::apd: break;  // of its percentage, by the caller
  }
  std::abort();
}

}  // namespace

TraceReducer::TraceReducer(std::vector<Quantity> quantities, const Settings& settings,
                           std::vector<std::shared_ptr<const RunningQuantity>> own)
    : quantities_(std::move(quantities)), settings_(settings), own_(std::move(own)) {
  std::size_t state = 0;
  for (const Quantity& quantity : quantities_) {
    running_.push_back(quantity.per_beat() ? nullptr : make_running(quantity, settings_.threshold));
    if (running_.back()) state = std::max(state, running_.back()->state_size());
    per_beat_ = per_beat_ || quantity.per_beat();
    rows_ += rows_of(quantity, settings_);
  }
  for (const auto& quantity : own_) state = std::max(state, quantity->state_size());
  rows_ += own_.size();
  state_.resize(state);
}

std::uint64_t TraceReducer::reduce(std::span<const double> v, std::span<const double> t, std::span<double> out) {
  if (per_beat_) find_beats(v, t, settings_.threshold, beats_);
  const auto of_all = [&](const RunningQuantity& quantity) {
    const std::span<double> state = std::span(state_).first(quantity.state_size());
    quantity.begin(state);
    quantity.see(state, {v, t, 0});
    return quantity.result(state);
  };
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const std::uint64_t rows = rows_of(quantities_[q], settings_);
    if (running_[q]) {
      out[0] = of_all(*running_[q]);
    } else {
      reduce_beats(v, t, quantities_[q], out.first(rows));
    }
    out = out.subspan(rows);
  }
  for (std::size_t q = 0; q < own_.size(); ++q) out[q] = of_all(*own_[q]);
  return beats_.size();
}

void TraceReducer::reduce_beats(std::span<const double> v, std::span<const double> t, const Quantity& quantity,
                                std::span<double> out) {
  std::fill(out.begin(), out.end(), kMissing);
  const std::size_t shown = std::min(out.size(), beats_.size());
  if (quantity.is(BeatKind::apd)) {
    const auto durations = action_potential_durations(v, t, beats_, settings_.threshold, quantity.percent);
    std::copy_n(durations.begin(), shown, out.begin());
    return;
  }
  for (std::size_t b = 0; b < shown; ++b) out[b] = of_beat(beats_[b], std::get<BeatKind>(quantity.kind));
}

}  // namespace weft::reduce
