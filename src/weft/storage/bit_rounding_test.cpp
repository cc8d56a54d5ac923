#include "weft/storage/bit_rounding.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

template <typename T>
T rounded_to(T value, unsigned bits) {
  std::vector<T> values{value};
  round_bits(std::as_writable_bytes(std::span(values)), sizeof(T) == 8 ? DataType::float64 : DataType::float32, bits);
  return values[0];
}

TEST(BitRounding, KeepsTheNearestOfFewerBits) {
  EXPECT_EQ(rounded_to(1.0 + 0.25, 1), 1.0);  // a tie, to even
  EXPECT_EQ(rounded_to(1.5 + 0.25, 1), 2.0);  // likewise
  EXPECT_EQ(rounded_to(1.26, 1), 1.5);
  EXPECT_EQ(rounded_to(-3.14F, 2), -3.0F);
  EXPECT_EQ(rounded_to(0.0, 3), 0.0);
  EXPECT_TRUE(std::signbit(rounded_to(-0.0, 3)));
}

TEST(BitRounding, ErrorIsWithinTheBound) {
  std::mt19937_64 chance(1);
  for (const unsigned bits : {1U, 7U, 23U, 52U}) {
    for (int i = 0; i < 20000; ++i) {
      const auto value = std::bit_cast<double>(chance());
      if (!std::isnormal(value)) continue;
      const double got = rounded_to(value, bits);
      EXPECT_LE(std::abs(got - value), largest_relative_error(bits) * std::abs(value)) << value;
      EXPECT_EQ(rounded_to(got, bits), got);
    }
  }
}

TEST(BitRounding, WhatIsNoNumberStays) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rounded_to(kInfinite, 3), kInfinite);
  EXPECT_EQ(rounded_to(std::numeric_limits<double>::max(), 3), std::numeric_limits<double>::max());
  const auto odd = std::bit_cast<double>(0x7ff8000000000123ULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(rounded_to(odd, 3)), 0x7ff8000000000123ULL);
}

TEST(BitRounding, IsSaidInWords) {
  const Rounding rounding = parse_rounding("bitround:10+shuffle+deflate:1", DataType::float32);
  EXPECT_EQ(rounding.kept_bits, 10U);
  EXPECT_EQ(rounding.filters, "shuffle+deflate:1");
  EXPECT_EQ(parse_rounding("lzf", DataType::int32).filters, "lzf");
  for (const char* bad : {"bitround", "bitround:0+deflate", "bitround:24+deflate", "bitround:9", "bitround:9deflate",
                          "bitround:+deflate", "bitround:9+"}) {
    EXPECT_THROW(parse_rounding(bad, DataType::float32), Error) << bad;
  }
  EXPECT_THROW(parse_rounding("bitround:9+deflate", DataType::int64), Error);
}

}  // namespace
}  // namespace weft::storage
