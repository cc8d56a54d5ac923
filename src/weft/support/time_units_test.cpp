#include "weft/support/time_units.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(TimeUnits, AreThoseThatFilesUse) {
  EXPECT_EQ(seconds_in("ms"), 1e-3);
  EXPECT_EQ(seconds_in("s"), 1.0);
  EXPECT_EQ(seconds_in("Hours since 1990-01-01 00:00:00"), 3600.0);
  EXPECT_EQ(seconds_in("days since 0001-01-01"), 86400.0);
}

TEST(TimeUnits, OfNoFixedLengthOrUnknownAreNone) {
  for (const char* units : {"", "months", "years since 1900-01-01", "mV", "s 2", "seconds squared"}) {
    EXPECT_FALSE(seconds_in(units)) << units;
  }
}

}  // namespace
}  // namespace weft
