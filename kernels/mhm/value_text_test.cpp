#include "kernels/mhm/value_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "kernels/io/values.hpp"

namespace weft::kernels::mhm {
namespace {

std::string printed(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%12.5e\n", value);
  return text.data();
}

std::string written(double value) {
  std::array<char, kMostValueText> text{};
  return {text.data(), write_value(text.data(), value)};
}

double from_bits(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(ValueText, IsThirteenCharacters) {
  EXPECT_EQ(written(0.5), " 5.00000e-01\n");
  EXPECT_EQ(written(-1.0 / 3), "-3.33333e-01\n");
  EXPECT_EQ(written(0), " 0.00000e+00\n");
  EXPECT_EQ(written(-1e-100), "-1.00000e-100\n") << "as printf, which has no room for it either";
}

TEST(ValueText, IsPrintfsForAllKindsOfDoubles) {
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const double value = from_bits(random_bits(1, 2, i));
    ASSERT_EQ(written(value), printed(value)) << i;
  }
}

TEST(ValueText, IsPrintfsForTheKernelsValues) {
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const double value = random_double(1, 3, i);
    ASSERT_EQ(written(value), printed(value)) << i;
  }
}

// Around every power of ten and of two, where digits carry over.
TEST(ValueText, IsPrintfsAroundPowers) {
  const auto around = [](double value) {
    for (const double sign : {1.0, -1.0}) {
      double up = sign * value;
      double down = sign * value;
      for (int step = 0; step < 20; ++step) {
        ASSERT_EQ(written(up), printed(up));
        ASSERT_EQ(written(down), printed(down));
        up = std::nextafter(up, 1e308);
        down = std::nextafter(down, -1e308);
      }
    }
  };
  for (int ten = -30; ten < 12; ++ten) around(std::pow(10, ten));
  for (int two = -100; two < 40; ++two) around(std::ldexp(1, two));
  for (int ten = -25; ten < 10; ++ten) around(9.999995 * std::pow(10, ten));
}

// Doubles whose expansion ends in a 5 behind the sixth digit: the tie goes to the even digit.
TEST(ValueText, IsPrintfsInTheMiddleBetweenTwo) {
  EXPECT_EQ(written(1.000005e5 + 0.0), printed(1.000005e5));
  std::uint64_t ties = 0;
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    const std::uint64_t digits = 100'000 + random_bits(5, 6, i) % 900'000;
    for (const int halvings : {1, 2, 3, 4, 5, 6}) {
      // (digits + 1/2) 10^-h is exact where 5^h divides it: then it is (digits 2 + 1) / 5^h / 2^(h + 1).
      const auto fives = static_cast<std::uint64_t>(std::llround(std::pow(5, halvings)));
      const std::uint64_t odd = 2 * digits + 1;
      if (odd % fives != 0) continue;
      const std::uint64_t quotient = odd / fives;
      const double value = std::ldexp(static_cast<double>(quotient), -halvings - 1);
      ASSERT_EQ(written(value), printed(value)) << odd << " / " << fives;
      ASSERT_EQ(written(-value), printed(-value));
      ++ties;
    }
    const double whole = static_cast<double>(digits) + 0.5;
    ASSERT_EQ(written(whole), printed(whole));
  }
  EXPECT_GT(ties, 50'000U);
}

TEST(ValueText, IsPrintfsForWhatIsNoNumber) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                             -Limits::quiet_NaN(), Limits::denorm_min(), -Limits::denorm_min(), Limits::min(),
                             Limits::max(), Limits::lowest(), Limits::epsilon()}) {
    EXPECT_EQ(written(value), printed(value));
    EXPECT_LE(written(value).size(), kMostValueText);
  }
}

}  // namespace
}  // namespace weft::kernels::mhm
