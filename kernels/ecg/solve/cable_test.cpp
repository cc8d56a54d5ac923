#include "kernels/ecg/solve/cable.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/ecg/solve/parameters.hpp"

namespace weft::kernels::ecg {
namespace {

// 0.1334 mS/mm is what Niederer et al. 2011 have along the fibres. Explicit Euler with very small steps on finite
// differences gives 0.607 mm/ms at 0.05 mm.
TEST(Cable, RunsAsFastAsTheBenchmarksFibre) {
  EXPECT_NEAR(cable_velocity(Conductivities{}.monodomain().along, 0.1, 0.01), 0.61, 0.015);
}

TEST(Cable, TwiceTheConductivityIsFasterByTheRootOfTwo) {
  const double once = cable_velocity(0.13, 0.1, 0.02);
  EXPECT_NEAR(cable_velocity(0.26, 0.1, 0.02) / once, std::sqrt(2.0), 0.03);
}

TEST(Cable, HalvingTheStepChangesLittle) {
  const double once = cable_velocity(0.13, 0.2, 0.1);
  EXPECT_NEAR(cable_velocity(0.13, 0.2, 0.05) / once, 1, 0.02);
}

TEST(Cable, OnLongElementsTheWaveStops) { EXPECT_EQ(cable_velocity(0.13, 2.5, 0.1), 0); }

TEST(Cable, TunedItRunsAsFastAsItShould) {
  const Tuned tuned = tuned_conductivity(0.67, 2, 0.1);
  EXPECT_NEAR(tuned.velocity, 0.67, 0.01);
  EXPECT_NEAR(cable_velocity(tuned.conductivity, 2, 0.1), 0.67, 0.01);
}

TEST(Cable, WhereItCannotRunAsSlowlyItRunsSurely) {
  const Tuned tuned = tuned_conductivity(0.2, 2, 0.1);
  EXPECT_GT(tuned.velocity, 0.2);
  EXPECT_LT(tuned.velocity, 0.5);
  EXPECT_GT(cable_velocity(tuned.conductivity / 1.2, 2, 0.1), 0);
}

}  // namespace
}  // namespace weft::kernels::ecg
