// Action potentials made by hand, whose quantities can be worked out on paper.
#include "weft/reduce/beats.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::reduce {
namespace {

struct Trace {
  std::vector<double> t, v;
  std::vector<Beat> beats(double threshold = kDefaultThreshold) const {
    std::vector<Beat> found;
    find_beats(v, t, threshold, found);
    return found;
  }
  std::vector<double> apd(double percent, double threshold = kDefaultThreshold) const {
    return action_potential_durations(v, t, beats(threshold), threshold, percent);
  }
};

Trace every_ms(std::vector<double> v) {
  Trace trace{{}, std::move(v)};
  for (std::size_t i = 0; i < trace.v.size(); ++i) trace.t.push_back(static_cast<double>(i));
  return trace;
}

TEST(Beats, TheExampleOfTheHeader) {
  const Trace trace = every_ms({-80, -80, 20, -40, -90});
  const std::vector<Beat> beats = trace.beats();
  ASSERT_EQ(beats.size(), 1U);
  EXPECT_DOUBLE_EQ(beats[0].onset, 1.5);
  EXPECT_DOUBLE_EQ(beats[0].peak, 20);
  EXPECT_DOUBLE_EQ(beats[0].resting, -80);
  EXPECT_DOUBLE_EQ(beats[0].upstroke_velocity, 100);
  EXPECT_DOUBLE_EQ(beats[0].upstroke_time, 2);
  EXPECT_TRUE(beats[0].complete);
  EXPECT_NEAR(trace.apd(90)[0], 3.6 - 1.1, 1e-12);
}

TEST(Beats, ATargetAboveTheThresholdIsCrossedAfterTheOnset) {
  // Two steps up: theta is crossed in the first, the target of APD 20 (-80 + 0.8 * 120 = 16) in the second.
  const Trace trace = every_ms({-80, -80, 0, 40, 40, -80, -80});
  EXPECT_NEAR(trace.apd(20)[0], (4 + 24.0 / 120) - (2 + 16.0 / 40), 1e-12);
  // One step up crosses both.
  const Trace steep = every_ms({-80, -80, 40, 40, -80});
  EXPECT_NEAR(steep.apd(20)[0], (3 + 24.0 / 120) - (1 + 96.0 / 120), 1e-12);
}

TEST(Beats, ATargetBelowTheThresholdIsCrossedBeforeTheOnsetTheLastTime) {
  // It rises above -70 and falls again before the beat: the second rise counts.
  const Trace trace = every_ms({-80, -80, -60, -80, -60, 20, 20, -80});
  ASSERT_EQ(trace.beats().size(), 1U);
  EXPECT_NEAR(trace.apd(90)[0], (6 + 90.0 / 100) - (3 + 10.0 / 20), 1e-12);
}

TEST(Beats, TwoBeatsHaveQuantitiesOfTheirOwn) {
  const Trace trace = every_ms({-80, -80, 20, 20, -75, -75, -75, 10, 5, -70, -70});
  const std::vector<Beat> beats = trace.beats();
  ASSERT_EQ(beats.size(), 2U);
  EXPECT_DOUBLE_EQ(beats[0].resting, -80);
  EXPECT_DOUBLE_EQ(beats[1].resting, -75) << "since the first beat ended";
  EXPECT_DOUBLE_EQ(beats[1].peak, 10);
  EXPECT_DOUBLE_EQ(beats[1].upstroke_velocity, 85);
  EXPECT_DOUBLE_EQ(beats[1].upstroke_time, 7);
  EXPECT_NEAR(beats[1].onset, 6 + 45.0 / 85, 1e-12);
  const std::vector<double> apd = trace.apd(50);
  EXPECT_NEAR(apd[0], (3 + 50.0 / 95) - (1 + 50.0 / 100), 1e-12);
  EXPECT_NEAR(apd[1], (8 + 37.5 / 75) - (6 + 42.5 / 85), 1e-12);
}

TEST(Beats, ANodeThatNeverFiresHasNone) {
  EXPECT_TRUE(every_ms({-80, -79, -60, -31, -80}).beats().empty());
  EXPECT_TRUE(every_ms({-80, -30, -80}).beats().empty()) << "the threshold has to be passed";
  EXPECT_TRUE(every_ms({}).beats().empty());
  EXPECT_TRUE(every_ms({20}).beats().empty());
}

TEST(Beats, AFirstSampleAboveTheThresholdBeginsNone) {
  const Trace trace = every_ms({20, 10, -80, -80, 20, -80});
  const std::vector<Beat> beats = trace.beats();
  ASSERT_EQ(beats.size(), 1U);
  EXPECT_DOUBLE_EQ(beats[0].resting, -80);
  EXPECT_NEAR(beats[0].onset, 3.5, 1e-12);
}

TEST(Beats, AnIncompleteBeatCountsAndHasNoDuration) {
  const Trace trace = every_ms({-80, -80, 20, 30});
  const std::vector<Beat> beats = trace.beats();
  ASSERT_EQ(beats.size(), 1U);
  EXPECT_FALSE(beats[0].complete);
  EXPECT_DOUBLE_EQ(beats[0].peak, 30);
  EXPECT_TRUE(std::isnan(trace.apd(90)[0]));
}

TEST(Beats, ABeatThatStartsWithinTheDurationBeforeItIsSkipped) {
  // The first beat ends at theta, yet the potential stays above its target of APD 90 (-68) until after the second.
  const Trace trace = every_ms({-80, -80, 40, -50, -50, 20, -50, -80, -80, 40, -80});
  const std::vector<double> apd = trace.apd(90);
  ASSERT_EQ(apd.size(), 3U);
  EXPECT_NEAR(apd[0], (6 + 18.0 / 30) - (1 + 12.0 / 120), 1e-12);
  EXPECT_TRUE(std::isnan(apd[1]));
  EXPECT_FALSE(std::isnan(apd[2]));
}

TEST(Beats, RestIsWhereTheTraceIsFlattestElseItsLeastValue) {
  EXPECT_DOUBLE_EQ(every_ms({-80, -80.005, -80.006, -82, 20, -80}).beats()[0].resting, -80.005);
  EXPECT_DOUBLE_EQ(every_ms({-80, -80, -81, -81, 20, -80}).beats()[0].resting, -81) << "the last of equals";
  EXPECT_DOUBLE_EQ(every_ms({-80, -83, -81, 20, -80}).beats()[0].resting, -83) << "nowhere flat";
}

TEST(Beats, TheSteepestIntervalIsTheLastOfEquals) {
  const std::vector<Beat> beats = every_ms({-80, -40, 0, 40, -80}).beats();
  EXPECT_DOUBLE_EQ(beats[0].upstroke_velocity, 40);
  EXPECT_DOUBLE_EQ(beats[0].upstroke_time, 3);
}

TEST(Beats, UnevenStepsAreMeasuredInTime) {
  const Trace trace{{0, 1, 1.5, 3.5, 4}, {-80, -80, 20, -40, -90}};
  EXPECT_DOUBLE_EQ(trace.beats()[0].upstroke_velocity, 200);
  EXPECT_NEAR(trace.beats()[0].onset, 1.25, 1e-12);
  EXPECT_NEAR(trace.apd(90)[0], (3.5 + 0.5 * 30 / 50) - (1 + 0.5 * 0.1), 1e-12);
}

}  // namespace
}  // namespace weft::reduce
