#include "weft/ecg/sheet_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "weft/ecg/leads.hpp"
#include "weft/support/error.hpp"

namespace weft::ecg {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Times 0, step, ...; every lead has the values of a spike of `height` at the third step.
Ecg twelve(std::size_t steps, double step, double height) {
  Ecg ecg;
  ecg.time_units = "ms";
  for (std::size_t s = 0; s < steps; ++s) ecg.times.push_back(static_cast<double>(s) * step);
  for (const std::string_view lead : kLeadNames) {
    std::vector<double> values(steps, 0.0);
    if (steps > 2) values[2] = height;
    ecg.signals.push_back({"lead " + std::string(lead), values});
  }
  return ecg;
}

Ecg one_strip(std::vector<double> values, double step = 100) {
  Ecg ecg;
  ecg.time_units = "ms";
  for (std::size_t s = 0; s < values.size(); ++s) ecg.times.push_back(static_cast<double>(s) * step);
  ecg.signals.push_back({"E", std::move(values)});
  return ecg;
}

double gain_of(double height, const std::string& units) {
  return lay_out_sheet(one_strip({0, height, 0}), {"f", units}).gain;
}

void expect_all_inside(const Sheet& sheet) {
  for (const SheetTrace& trace : sheet.traces) {
    for (const Polyline& line : trace.lines) {
      EXPECT_GE(line.size(), 2U);
      for (const SheetPoint& at : line) {
        EXPECT_GE(at.x, sheet.grid.x) << trace.name;
        EXPECT_LE(at.x, sheet.grid.x + sheet.grid_width) << trace.name;
        EXPECT_GE(at.y, sheet.grid.y) << trace.name;
        EXPECT_LE(at.y, sheet.grid.y + sheet.grid_height) << trace.name;
      }
    }
  }
}

TEST(SheetLayout, TheUsualSheet) {
  const Sheet sheet = lay_out_sheet(twelve(451, 1, 1.0), {"heart.h5", "mV"});
  std::vector<std::string> names;
  for (const SheetTrace& trace : sheet.traces) names.push_back(trace.name);
  EXPECT_THAT(names,
              testing::ElementsAre("I", "aVR", "V1", "V4", "II", "aVL", "V2", "V5", "III", "aVF", "V3", "V6", "II"));
  EXPECT_EQ(sheet.pulses.size(), 4U);
  EXPECT_TRUE(sheet.ticks.empty());
  EXPECT_EQ(sheet.gain, 10);
  EXPECT_EQ(sheet.scale, "25 mm/s  10 mm/mV  heart.h5");
  EXPECT_EQ(sheet.notes, "pulse: 1 mV, 200 ms");
  EXPECT_EQ(sheet.width, 130) << "15 before, four columns of 25, 5 behind, and the margins";
  EXPECT_EQ(sheet.grid_height, 80) << "four rows of 20";
  expect_all_inside(sheet);
}

TEST(SheetLayout, AMillivoltIsTenMillimetresAndASecondTwentyFive) {
  const Sheet sheet = lay_out_sheet(twelve(451, 1, 1.0), {"f", "mV"});
  const Polyline& line = sheet.traces[0].lines.at(0);
  ASSERT_EQ(line.size(), 451U);
  EXPECT_DOUBLE_EQ(line[0].y - line[2].y, 10) << "up is up";
  EXPECT_DOUBLE_EQ(line[400].x - line[0].x, 10);
  const Polyline& pulse = sheet.pulses[0];
  EXPECT_DOUBLE_EQ(pulse[0].y, line[0].y) << "one zero line";
  EXPECT_DOUBLE_EQ(pulse[1].y - pulse[2].y, 10);
  EXPECT_DOUBLE_EQ(pulse[3].x - pulse[2].x, 5);
  EXPECT_LT(pulse.back().x, line[0].x);
  const Sheet in_volts = lay_out_sheet(twelve(451, 1, 1e-3), {"f", "V"});
  EXPECT_NEAR(in_volts.traces[0].lines[0][2].y, line[2].y, 1e-9);
  EXPECT_EQ(in_volts.scale, "25 mm/s  10 mm/mV  f");
}

TEST(SheetLayout, GainsAreOneTwoFiveAndFit) {
  EXPECT_EQ(gain_of(1, "mV"), 10);
  EXPECT_EQ(gain_of(4, "mV"), 10) << "40 mm";
  EXPECT_EQ(gain_of(4.5, "mV"), 5);
  EXPECT_EQ(gain_of(0.001, "mV"), 10) << "small is no reason: the usual gain is what people know";
  EXPECT_EQ(gain_of(1, ""), 20);
  EXPECT_EQ(gain_of(5, ""), 5);
  EXPECT_EQ(gain_of(12.6, ""), 1);
  EXPECT_EQ(gain_of(300, ""), 0.05);
  EXPECT_EQ(gain_of(-300, ""), 0.05);
  EXPECT_EQ(gain_of(0, ""), 10) << "nothing to see";
  for (const double height : {1e-320, 1e-200, 3e-5, 7.0, 1e5, 1e200, 1e308}) {
    const Sheet sheet = lay_out_sheet(one_strip({0, height, -height}), {"f", ""});
    EXPECT_LT(sheet.height, 100) << height;
    expect_all_inside(sheet);
  }
}

TEST(SheetLayout, SaysTheGainItChose) {
  const Sheet sheet = lay_out_sheet(one_strip({0, 5}), {"f", ""});
  EXPECT_EQ(sheet.scale, "25 mm/s  gain 5 mm/unit  f");
  EXPECT_EQ(sheet.notes, "pulse: 2 units, 200 ms");
  EXPECT_EQ(lay_out_sheet(one_strip({0, 20}), {"f", "mV"}).scale, "25 mm/s  gain 1 mm/mV  f");
  EXPECT_EQ(lay_out_sheet(one_strip({0, 20}), {"f", "uV"}).scale, "25 mm/s  gain 1 mm/uV  f");
}

TEST(SheetLayout, LongRecordingsAreCutInQuarters) {
  Ecg ecg = twelve(10000, 1, 1.0);  // to 9.999 s
  for (std::size_t s = 0; s < ecg.times.size(); ++s) {
    for (Signal& signal : ecg.signals) signal.values[s] = ecg.times[s] / 1e4;
  }
  const Sheet sheet = lay_out_sheet(ecg, {"f", "mV"});
  EXPECT_EQ(sheet.ticks.size(), 9U);
  EXPECT_EQ(sheet.grid_width, 15 + 250 + 5);
  const Polyline& second = sheet.traces[1].lines.at(0);
  EXPECT_DOUBLE_EQ(second.front().x, sheet.grid.x + 15 + 62.5);
  EXPECT_DOUBLE_EQ(second.back().x, sheet.grid.x + 15 + 125);
  EXPECT_NEAR(sheet.pulses[0][0].y - second.front().y, 2.5, 1e-9) << "0.25 mV at 2.5 s";
  EXPECT_EQ(sheet.traces[12].lines.at(0).size(), 10000U);
  expect_all_inside(sheet);
}

TEST(SheetLayout, QuartersMeetBetweenTwoSteps) {
  const Sheet sheet = lay_out_sheet(twelve(13, 1000, 0), {"f", "mV"});  // 12 s in steps of 1 s: none at 2.5 s
  const Polyline& first = sheet.traces[0].lines.at(0);
  EXPECT_EQ(first.size(), 4U);
  EXPECT_DOUBLE_EQ(first.back().x, sheet.traces[1].lines.at(0).front().x);
  EXPECT_THAT(sheet.notes, EndsWith("the first 10 s of 12 s"));
}

TEST(SheetLayout, BelowTenSecondsColumnsBeginTogether) {
  const Sheet sheet = lay_out_sheet(twelve(401, 10, 1.0), {"f", "mV"});
  EXPECT_TRUE(sheet.ticks.empty());
  for (std::size_t column = 0; column < 4; ++column) {
    const Polyline& line = sheet.traces[column].lines.at(0);
    EXPECT_DOUBLE_EQ(line.front().x, sheet.grid.x + 15 + 65 * static_cast<double>(column));
    EXPECT_DOUBLE_EQ(line.back().x - line.front().x, 62.5);
  }
  const Polyline& strip = sheet.traces[12].lines.at(0);
  EXPECT_DOUBLE_EQ(strip.back().x - strip.front().x, 100) << "all 4 s";
  EXPECT_THAT(sheet.notes, HasSubstr("columns: the first 2.5 s each"));
}

TEST(SheetLayout, OneStripASignalWhereLeadsAreMissing) {
  Ecg ecg = twelve(451, 1, 1.0);
  ecg.signals.pop_back();
  const Sheet sheet = lay_out_sheet(ecg, {"f", "mV"});
  EXPECT_EQ(sheet.traces.size(), 11U);
  EXPECT_EQ(sheet.traces[3].name, "lead aVR");
  EXPECT_EQ(sheet.pulses.size(), 11U);
  expect_all_inside(sheet);
}

TEST(SheetLayout, RowsAreWholeSquaresAndDoNotMeet) {
  Ecg ecg = twelve(451, 1, 0.7);
  ecg.signals[1].values[9] = -2.3;  // lead II goes far down, III far up
  ecg.signals[2].values[9] = 1.9;
  const Sheet sheet = lay_out_sheet(ecg, {"f", "mV"});
  EXPECT_EQ(std::fmod(sheet.grid_height, 5), 0);
  for (const Polyline& pulse : sheet.pulses) EXPECT_EQ(std::fmod(pulse[0].y - sheet.grid.y, 5), 0);
  const auto second = sheet.traces[4].lines[0][9].y;
  EXPECT_LT(second, sheet.traces[8].label.y - 3) << "above the next row's names";
  EXPECT_GT(sheet.traces[8].lines[0][9].y, sheet.traces[8].label.y) << "below its own";
}

TEST(SheetLayout, MissingValuesLeaveGaps) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Sheet sheet = lay_out_sheet(one_strip({0, 1, nan, 1, nan, 1, 2, 1}), {"f", "mV"});
  ASSERT_EQ(sheet.traces[0].lines.size(), 2U) << "a lone value is no line";
  EXPECT_EQ(sheet.traces[0].lines[0].size(), 2U);
  EXPECT_EQ(sheet.traces[0].lines[1].size(), 3U);
  EXPECT_TRUE(lay_out_sheet(one_strip({nan, nan}), {"f", "mV"}).traces[0].lines.empty());
  EXPECT_TRUE(lay_out_sheet(one_strip({1}), {"f", "mV"}).traces[0].lines.empty()) << "one step is no line";
}

TEST(SheetLayout, UnitsOfTime) {
  Ecg ecg = one_strip({0, 1, 0}, 1);
  ecg.time_units = "s";
  const Sheet seconds = lay_out_sheet(ecg, {"f", "mV"});
  EXPECT_DOUBLE_EQ(seconds.traces[0].lines[0][2].x - seconds.traces[0].lines[0][0].x, 50);
  EXPECT_THAT(seconds.notes, Not(HasSubstr("taken as")));
  ecg.time_units = "";
  EXPECT_THAT(lay_out_sheet(ecg, {"f", "mV"}).notes, EndsWith("time has no unit: taken as ms"));
  ecg.time_units = "beats";
  const Sheet beats = lay_out_sheet(ecg, {"f", "mV"});
  EXPECT_THAT(beats.notes, EndsWith("time is in 'beats': taken as ms"));
  EXPECT_NEAR(beats.traces[0].lines[0][2].x - beats.traces[0].lines[0][0].x, 0.05, 1e-12);
  ecg.time_units = "microseconds since 2026-01-01";
  const Sheet micro = lay_out_sheet(ecg, {"f", "mV"});
  EXPECT_THAT(micro.notes, Not(HasSubstr("taken as")));
  EXPECT_NEAR(micro.traces[0].lines[0][2].x - micro.traces[0].lines[0][0].x, 5e-5, 1e-12);
}

TEST(SheetLayout, WhatNoSheetHolds) {
  EXPECT_THROW(lay_out_sheet(one_strip({}), {"f", "mV"}), Error);
  Ecg many = one_strip({0, 1});
  many.signals.resize(101, many.signals[0]);
  try {
    lay_out_sheet(many, {"f", "mV"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("101 signals: are more than the 100 a sheet holds; name fewer"));
  }
}

}  // namespace
}  // namespace weft::ecg
