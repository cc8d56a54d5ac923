// Found while the samples come in, in windows of any length, must be found in the whole trace, bit for bit.
#include "weft/reduce/running_beats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "weft/reduce/trace_reducer.hpp"

namespace weft::reduce {
namespace {

constexpr std::uint64_t kRows = 6;

class Rows final : public BeatSink {
 public:
  explicit Rows(std::size_t quantities) : values(quantities * kRows, std::nan("")) {}
  bool beat(std::uint64_t number, std::span<const double> of_beat) override {
    EXPECT_EQ(number, beats++) << "one after another";
    for (std::size_t q = 0; q < of_beat.size() && number < kRows; ++q) values[q * kRows + number] = of_beat[q];
    return true;
  }
  std::vector<double> values;
  std::uint64_t beats = 0;
};

struct Outcome {
  std::vector<double> values;
  std::uint64_t beats = 0;
  bool gave_up = false;
};

// Windows of `length` steps; of the window before, as many samples as are wanted can be seen, and no more.
Outcome in_windows(const std::vector<double>& v, const std::vector<double>& t, const std::vector<Quantity>& quantities,
                   std::size_t length) {
  const RunningBeats running(quantities, -30);
  NodeBeats node;
  std::vector<double> slots(running.slots());
  Rows rows(quantities.size());
  running.begin(node, slots);
  for (std::size_t first = 0; first < v.size(); first += length) {
    const std::size_t history = std::min(running.history(), first == 0 ? 0 : length);
    const std::size_t end = std::min(v.size(), first + length);
    const Samples samples{std::span(v).subspan(first - history, end - first + history),
                          std::span(t).subspan(first - history, end - first + history), history};
    running.see(node, slots, samples, first, std::span(t).first(end), rows);
  }
  running.finish(node, slots, t);
  if (node.begun > 0 && !node.gave_up) rows.beat(node.begun - 1U, running.last_beat(slots));
  return {rows.values, node.begun, node.gave_up};
}

void expect_same_bits(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(wanted[i]))
          << i << ": " << got[i] << " is not " << wanted[i];
    }
  }
}

// Action potentials of varying height and length, noise, flat stretches, samples on the threshold, values that repeat.
std::vector<double> made_up(std::mt19937& chance, std::size_t samples) {
  const auto any = [&](double from, double to) { return std::uniform_real_distribution(from, to)(chance); };
  std::vector<double> v;
  double at = any(-90, -60);
  while (v.size() < samples) {
    const auto rest = static_cast<std::size_t>(any(0, 12));
    for (std::size_t i = 0; i < rest; ++i) v.push_back(at += any(-1, 1) < 0 ? 0 : any(-0.02, 0.02));
    const double top = any(-40, 40);
    const auto up = static_cast<std::size_t>(any(1, 5));
    for (std::size_t i = 1; i <= up; ++i)
      v.push_back(at + (top - at) * static_cast<double>(i) / static_cast<double>(up));
    const auto plateau = static_cast<std::size_t>(any(0, 8));
    for (std::size_t i = 0; i < plateau; ++i) v.push_back(std::round(top + any(-6, 6)));
    if (any(0, 1) < 0.2) v.push_back(-30);
    const double bottom = any(-95, -35);
    const auto down = static_cast<std::size_t>(any(1, 9));
    for (std::size_t i = 1; i <= down; ++i) {
      v.push_back(top + (bottom - top) * static_cast<double>(i) / static_cast<double>(down));
    }
    at = bottom;
  }
  v.resize(samples);
  return v;
}

TEST(RunningBeats, AreThoseOfTheWholeTraceWhateverTheWindows) {
  std::mt19937 chance(7);
  const std::vector<Quantity> quantities =
      parse_quantities("activation_time,upstroke_time,max_upstroke_velocity,resting,peak,apd_90,apd_75");
  std::size_t gave_up = 0;
  std::size_t durations = 0;
  constexpr std::size_t kTraces = 4000;
  for (std::size_t number = 0; number < kTraces; ++number) {
    const std::vector<double> v = made_up(chance, 1 + number % 90);
    std::vector<double> t;
    for (std::size_t i = 0; i < v.size(); ++i) t.push_back((i == 0 ? 3.0 : t.back()) + (number % 2 == 0 ? 1.0 : 0.7));
    TraceReducer whole(quantities, {.threshold = -30, .max_beats = kRows});
    std::vector<double> wanted(whole.rows());
    const std::uint64_t beats = whole.reduce(v, t, wanted);
    const Outcome got = in_windows(v, t, quantities, 1 + number % 11);
    if (got.gave_up) {
      ++gave_up;
      continue;
    }
    EXPECT_EQ(got.beats, beats);
    expect_same_bits(got.values, wanted);
    for (std::uint64_t row = 0; row < kRows; ++row) durations += std::isnan(wanted[5 * kRows + row]) ? 0 : 1;
    if (HasFailure()) FAIL() << "trace " << number;
  }
  EXPECT_GT(durations, kTraces / 10) << "the traces must have something to find";
  EXPECT_LT(gave_up, kTraces * 3 / 4) << "they are meant to be hard, but not that hard";
}

TEST(RunningBeats, OneSharpBeatNeedsNoFileInAnyWindow) {
  const std::vector<double> v{-85, -85, -84.9, -60, 10, 20, 15, -10, -31, -60, -80, -84, -85};
  std::vector<double> t;
  for (std::size_t i = 0; i < v.size(); ++i) t.push_back(static_cast<double>(i));
  const std::vector<Quantity> quantities = parse_quantities("activation_time,peak,apd_90");
  TraceReducer whole(quantities, {.max_beats = kRows});
  std::vector<double> wanted(whole.rows());
  whole.reduce(v, t, wanted);
  EXPECT_FALSE(std::isnan(wanted[2 * kRows]));
  for (std::size_t length = 2; length <= v.size(); ++length) {
    const Outcome got = in_windows(v, t, quantities, length);
    EXPECT_FALSE(got.gave_up) << length;
    expect_same_bits(got.values, wanted);
  }
}

TEST(RunningBeats, WhatItCannotKnowItLeavesToTheFile) {
  // The upstroke from the target to the threshold takes more samples than are kept.
  std::vector<double> v{-85, -85};
  while (v.back() < 20) v.push_back(v.back() + 2);
  while (v.back() > -85) v.push_back(v.back() - 5);
  std::vector<double> t;
  for (std::size_t i = 0; i < v.size(); ++i) t.push_back(static_cast<double>(i));
  EXPECT_TRUE(in_windows(v, t, parse_quantities("apd_90"), 5).gave_up);
  EXPECT_FALSE(in_windows(v, t, parse_quantities("activation_time,peak"), 5).gave_up);
}

}  // namespace
}  // namespace weft::reduce
