// weft/reduce/beats.hpp - action potentials in the trace of one node. Pure; the plain reference of everything per beat.
//
// Definitions, with v the potential (mV), t the time (ms), an interval i running from sample i - 1 to sample i, and
// theta the threshold:
//   beat      begins in the interval with v[i] > theta and v[i-1] <= theta; ends in the next one with v[i] < theta and
//             v[i-1] >= theta. One that has not ended by the last sample counts, as incomplete. A first sample above
//             theta begins none.
//   onset     where theta is crossed in the interval the beat begins in, linearly interpolated: the activation time.
//   upstroke  the interval of greatest dv/dt since the previous beat ended (the last of equals), up to the beat's own
//             end: its slope is the maximum upstroke velocity, its right end the upstroke time.
//   resting   v[i-1] of the interval of least |dv/dt| (the last of equals) among those of at most 0.01 mV/ms since the
//             previous beat ended, up to the one the beat begins in; where there is none, the least v[i-1] of them.
//   peak      the greatest v above theta in the beat.
//   apd(P)    the time from the upward crossing of target = resting + (100 - P)/100 (peak - resting) nearest the onset
//             (where target >= theta, the first at or after it; else the last up to it) to the next fall below the
//             target, both interpolated. NaN for an incomplete beat, where a crossing is missing, and for a beat whose
//             onset lies before the end of the previous duration.
// An upward crossing of a level lies in an interval with v[i] > level and v[i-1] <= level, a fall in one with v[i] <
// level and v[i-1] >= level.
//
// These are the quantities of Cardone-Noott et al. 2018 (doi:10.1371/journal.pone.0202410), "post-processing".
//
// Example: t = 0, 1, 2, 3, 4; v = -80, -80, 20, -40, -90; theta = -30. One beat, onset 1.5, peak 20, resting -80,
// upstroke 100 mV/ms at 2. APD 90: target -70, from 1.1 to 3.6: 2.5 ms.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace weft::reduce {

inline constexpr double kDefaultThreshold = -30.0;  // mV
inline constexpr double kMostRestingSlope = 0.01;   // mV/ms
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Beat {
  double onset = kMissing;
  double upstroke_velocity = kMissing;
  double upstroke_time = kMissing;
  double resting = kMissing;
  double peak = kMissing;
  bool complete = false;
  std::size_t first = 0;  // the interval it begins in
  std::size_t last = 0;   // the interval it ends in; the last sample where it is incomplete
};

// Where the straight line through (t0, v0) and (t1, v1) has the value `level`. v0 and v1 differ.
double crossing_time(double t0, double v0, double t1, double v1, double level);

// The beats of a trace, into `beats`. `v` and `t` are equally long, t rises.
void find_beats(std::span<const double> v, std::span<const double> t, double threshold, std::vector<Beat>& beats);

// apd(percent) of each of those beats. `percent` lies between 0 and 100.
std::vector<double> action_potential_durations(std::span<const double> v, std::span<const double> t,
                                               std::span<const Beat> beats, double threshold, double percent);

}  // namespace weft::reduce
