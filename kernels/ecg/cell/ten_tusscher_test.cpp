// A cell alone, paced once a second: what the model's paper and those who use it say of it.
#include "kernels/ecg/cell/ten_tusscher.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

namespace weft::kernels::ecg {
namespace {

struct Beat {
  double rest = 0;      // mV, before the stimulus
  double peak = -1000;  // mV
  double steepest = 0;  // mV/ms
  double apd_90 = 0;    // ms
};

// The last of `beats` at 1 Hz. Stimulus: 1 ms of 52 pA/pF inward.
Beat paced(CellLayer layer, int beats, double dt) {
  const TenTusscher cell(layer);
  TenTusscherState state = TenTusscher::initial_state();
  double v = TenTusscher::kInitialPotential;
  Beat beat;
  const auto steps = static_cast<int>(std::lround(1000 / dt));
  for (int number = 0; number < beats; ++number) {
    beat = Beat();
    beat.rest = v;
    double steepest_at = 0;
    for (int i = 0; i < steps; ++i) {
      const double before = v;
      v = cell.advance(v, state, dt, i * dt < 1 ? -52.0 : 0.0);
      beat.peak = std::max(beat.peak, v);
      if ((v - before) / dt > beat.steepest) {
        beat.steepest = (v - before) / dt;
        steepest_at = i * dt;
      }
      const double target = beat.rest + 0.1 * (beat.peak - beat.rest);
      if (beat.apd_90 == 0 && i * dt > 50 && v < target) beat.apd_90 = i * dt - steepest_at;
    }
  }
  return beat;
}

TEST(TenTusscher, PacedOnceASecondItDoesWhatItsPaperSays) {
  for (const auto& [layer, duration, within] : {std::tuple{CellLayer::epicardium, 300.0, 10.0},
                                                {CellLayer::endocardium, 300.0, 10.0},
                                                {CellLayer::midmyocardium, 390.0, 20.0}}) {
    const Beat beat = paced(layer, 8, 0.02);
    EXPECT_NEAR(beat.rest, -86, 1.5);
    EXPECT_GT(beat.peak, 20);
    EXPECT_NEAR(beat.apd_90, duration, within) << static_cast<int>(layer);
    EXPECT_GT(beat.steepest, 150) << "V/s";
  }
}

// The stimulus at its beginning, so that both see the same; then only the length of the steps differs.
TEST(TenTusscher, LongStepsAreCutWhereTheyMustBe) {
  const TenTusscher cell(CellLayer::epicardium);
  TenTusscherState fine = TenTusscher::initial_state();
  TenTusscherState coarse = fine;
  double v_fine = TenTusscher::kInitialPotential;
  double v_coarse = v_fine;
  for (int ms = 0; ms < 400; ++ms) {
    const double stimulus = ms == 0 ? -52.0 : 0.0;
    for (int i = 0; i < 200; ++i) v_fine = cell.advance(v_fine, fine, 0.005, stimulus);
    v_coarse = cell.advance(v_coarse, coarse, 1, stimulus);
    // Down the slope of repolarisation, 2 mV/ms, this is a difference of half a millisecond.
    EXPECT_NEAR(v_coarse, v_fine, ms < 3 ? 100.0 : 1.0) << ms << " ms";
  }
  EXPECT_NEAR(coarse.ca_sr, fine.ca_sr, 0.01 * fine.ca_sr);
}

TEST(TenTusscher, WithoutAStimulusItStaysAtRest) {
  for (const CellLayer layer : {CellLayer::epicardium, CellLayer::midmyocardium, CellLayer::endocardium}) {
    const TenTusscher cell(layer);
    TenTusscherState state = TenTusscher::initial_state();
    double v = TenTusscher::kInitialPotential;
    for (int ms = 0; ms < 2000; ++ms) v = cell.advance(v, state, 1, 0);
    EXPECT_NEAR(v, -86, 1.5);
    EXPECT_NEAR(cell.current(v, state), 0, 0.01) << "pA/pF";
  }
}

}  // namespace
}  // namespace weft::kernels::ecg
