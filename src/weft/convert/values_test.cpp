#include "weft/convert/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::convert {
namespace {

using ::testing::ElementsAre;

// Three points of (V, phi_e, K).
const std::vector<double> kRows{1.5, 2.5, 3.5, 11.5, 12.5, 13.5, 21.5, 22.5, 23.5};

ColumnView column(std::uint64_t first, std::uint64_t components) {
  return {DataType::float64, std::as_bytes(std::span(kRows)).data(), 3, first, components};
}

TEST(Values, AColumnIsTakenOutOfItsRows) {
  std::vector<double> values(3);
  copy_column(column(1, 1), DataType::float64, std::as_writable_bytes(std::span(values)));
  EXPECT_THAT(values, ElementsAre(2.5, 12.5, 22.5));
  std::vector<float> pairs(4);
  copy_column(column(1, 2), DataType::float32, std::as_writable_bytes(std::span(pairs)));
  EXPECT_THAT(pairs, ElementsAre(2.5F, 3.5F, 12.5F, 13.5F));
}

TEST(Values, ByPlace) {
  std::vector<double> values(2);
  const std::vector<std::int64_t> places{102, 100};
  copy_column(column(0, 1), DataType::float64, places, 100, std::as_writable_bytes(std::span(values)));
  EXPECT_THAT(values, ElementsAre(21.5, 1.5));
}

TEST(Values, IntegersOf64BitsAsDouble) {
  const std::vector<std::int64_t> numbers{-1, 1LL << 40};
  std::vector<double> values(2);
  copy_column({DataType::int64, std::as_bytes(std::span(numbers)).data(), 1, 0, 1}, DataType::float64,
              std::as_writable_bytes(std::span(values)));
  EXPECT_THAT(values, ElementsAre(-1.0, 1099511627776.0));
}

TEST(Values, OnlyFloat64LosesPrecision) {
  EXPECT_EQ(written_type(DataType::float64, Precision::float32), DataType::float32);
  EXPECT_EQ(written_type(DataType::float64, Precision::keep), DataType::float64);
  EXPECT_EQ(written_type(DataType::int64, Precision::float32), DataType::int64);
}

TEST(Values, WhatIsMissingIsNaN) {
  std::vector<float> values(2, 0.0F);
  fill_missing(DataType::float32, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]));
}

}  // namespace
}  // namespace weft::convert
