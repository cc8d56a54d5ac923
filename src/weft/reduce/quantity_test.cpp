#include "weft/reduce/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/reduce/trace_reducer.hpp"
#include "weft/support/error.hpp"

namespace weft::reduce {
namespace {

std::vector<std::vector<double>> reduced(const std::string& names, const std::vector<double>& v,
                                         const Settings& settings = {}) {
  std::vector<double> t;
  for (std::size_t i = 0; i < v.size(); ++i) t.push_back(0.5 * static_cast<double>(i));
  const std::vector<Quantity> quantities = parse_quantities(names);
  TraceReducer reducer(quantities, settings);
  std::vector<double> rows(reducer.rows());
  reducer.reduce(v, t, rows);
  std::vector<std::vector<double>> values;
  for (auto at = rows.begin(); const Quantity& quantity : quantities) {
    values.emplace_back(at, at + static_cast<std::ptrdiff_t>(rows_of(quantity, settings)));
    at += static_cast<std::ptrdiff_t>(rows_of(quantity, settings));
  }
  return values;
}

TEST(Quantity, OfAllSamples) {
  const auto values = reduced("min,max,mean,rms,argmax_time,first_crossing", {-3, 4, 1, 4, -1}, {.threshold = 0.5});
  EXPECT_EQ(values[0][0], -3);
  EXPECT_EQ(values[1][0], 4);
  EXPECT_DOUBLE_EQ(values[2][0], 1);
  EXPECT_DOUBLE_EQ(values[3][0], std::sqrt(43.0 / 5));
  EXPECT_EQ(values[4][0], 0.5) << "the first of equals";
  EXPECT_DOUBLE_EQ(values[5][0], 0.5 * 3.5 / 7);
  EXPECT_TRUE(std::isnan(reduced("first_crossing", {1, 2, 3}, {.threshold = 5})[0][0]));
}

TEST(Quantity, MissingSamplesArePassedOver) {
  const double none = std::nan("");
  const auto values = reduced("min,max,mean,rms,argmax_time", {none, -3, none, 4, 2, none}, {});
  EXPECT_EQ(values[0][0], -3);
  EXPECT_EQ(values[1][0], 4);
  EXPECT_DOUBLE_EQ(values[2][0], 1);
  EXPECT_DOUBLE_EQ(values[3][0], std::sqrt(29.0 / 3));
  EXPECT_EQ(values[4][0], 1.5);
  for (const auto& rows : reduced("min,max,mean,rms,argmax_time", {none, none}, {})) EXPECT_TRUE(std::isnan(rows[0]));
}

TEST(Quantity, OneRowABeatAndNanWhereThereAreFewer) {
  const std::vector<double> two_beats{-80, -80, 20, -80, -80, 10, -80};
  const auto values = reduced("peak,apd_50", two_beats, {.max_beats = 3});
  EXPECT_EQ(values[0][0], 20);
  EXPECT_EQ(values[0][1], 10);
  EXPECT_TRUE(std::isnan(values[0][2]));
  EXPECT_DOUBLE_EQ(values[1][0], 0.5);
  EXPECT_TRUE(std::isnan(values[1][2]));
  EXPECT_EQ(reduced("peak", two_beats, {.max_beats = 1})[0], std::vector<double>{20}) << "more beats than rows";
}

TEST(Quantity, NamesAreChecked) {
  EXPECT_EQ(parse_quantities("apd_90,peak")[0].percent, 90);
  EXPECT_EQ(parse_quantities("apd_33.5")[0].percent, 33.5);
  for (const char* bad : {"", "peak,", "apd", "apd_", "apd_0", "apd_100", "apd_-5", "apd_90x", "peak,peak", "Peak"}) {
    EXPECT_THROW(parse_quantities(bad), Error) << bad;
  }
}

TEST(Quantity, UnitsFollowTheFieldsAndTheTimes) {
  EXPECT_EQ(units_of(parse_quantities("max_upstroke_velocity")[0], "mV", "ms"), "mV/ms");
  EXPECT_EQ(units_of(parse_quantities("apd_90")[0], "mV", "ms"), "ms");
  EXPECT_EQ(units_of(parse_quantities("peak")[0], "mV", "ms"), "mV");
  EXPECT_EQ(units_of(parse_quantities("max_upstroke_velocity")[0], "mV", ""), "");
  const std::string since = "hours since 1990-01-01";
  EXPECT_EQ(units_of(parse_quantities("argmax_time")[0], "K", since), since);
  EXPECT_EQ(units_of(parse_quantities("apd_90")[0], "K", since), "hours");
  EXPECT_EQ(units_of(parse_quantities("max_upstroke_velocity")[0], "K", since), "K/hours");
}

}  // namespace
}  // namespace weft::reduce
