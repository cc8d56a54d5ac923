#include "weft/reduce/beats.hpp"

#include <cmath>

namespace weft::reduce {

namespace {

// What is gathered since the previous beat ended.
struct Quiet {
  double steepest = -std::numeric_limits<double>::infinity();
  double steepest_end = kMissing;
  double flattest = std::numeric_limits<double>::infinity();
  double flattest_v = kMissing;
  double least_v = std::numeric_limits<double>::infinity();
  double resting() const { return std::isnan(flattest_v) ? least_v : flattest_v; }
};

}  // namespace

double crossing_time(double t0, double v0, double t1, double v1, double level) {
  return t0 + (level - v0) / (v1 - v0) * (t1 - t0);
}

void find_beats(std::span<const double> v, std::span<const double> t, double threshold, std::vector<Beat>& beats) {
  beats.clear();
  Quiet quiet;
  bool in_beat = false;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const double slope = (v[i] - v[i - 1]) / (t[i] - t[i - 1]);
    if (slope >= quiet.steepest) {
      quiet.steepest = slope;
      quiet.steepest_end = t[i];
    }
    if (!in_beat) {
      const double flatness = std::fabs(slope);
      if (flatness <= kMostRestingSlope && flatness <= quiet.flattest) {
        quiet.flattest = flatness;
        quiet.flattest_v = v[i - 1];
      }
      quiet.least_v = std::fmin(quiet.least_v, v[i - 1]);
    }
    if (!in_beat && v[i] > threshold && v[i - 1] <= threshold) {
      in_beat = true;
      Beat beat;
      beat.onset = crossing_time(t[i - 1], v[i - 1], t[i], v[i], threshold);
      beat.resting = quiet.resting();
      beat.peak = v[i];
      beat.first = i;
      beats.push_back(beat);
    }
    if (!in_beat) continue;
    Beat& beat = beats.back();
    if (v[i] > beat.peak) beat.peak = v[i];
    beat.last = i;
    beat.upstroke_velocity = quiet.steepest;
    beat.upstroke_time = quiet.steepest_end;
    if (v[i] < threshold && v[i - 1] >= threshold) {
      beat.complete = true;
      in_beat = false;
      quiet = Quiet();
    }
  }
}

std::vector<double> action_potential_durations(std::span<const double> v, std::span<const double> t,
                                               std::span<const Beat> beats, double threshold, double percent) {
  std::vector<double> durations;
  double busy_until = -std::numeric_limits<double>::infinity();
  for (const Beat& beat : beats) {
    double& duration = durations.emplace_back(kMissing);
    if (!beat.complete || beat.onset < busy_until) continue;
    const double target = beat.resting + (100.0 - percent) / 100.0 * (beat.peak - beat.resting);
    const auto rises = [&](std::size_t i) { return v[i] > target && v[i - 1] <= target; };
    std::size_t up = beat.first;
    if (target >= threshold) {
      while (up < v.size() && !rises(up)) ++up;
    } else {
      while (up > 0 && !rises(up)) --up;
    }
    if (up == 0 || up == v.size()) continue;
    std::size_t down = up + 1;
    while (down < v.size() && !(v[down] < target && v[down - 1] >= target)) ++down;
    if (down == v.size()) continue;
    const double begin = crossing_time(t[up - 1], v[up - 1], t[up], v[up], target);
    busy_until = crossing_time(t[down - 1], v[down - 1], t[down], v[down], target);
    duration = busy_until - begin;
  }
  return durations;
}

}  // namespace weft::reduce
