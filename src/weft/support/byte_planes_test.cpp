#include "weft/support/byte_planes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weft {
namespace {

class BytePlanesTest : public testing::TestWithParam<std::size_t> {};

// Three rows of a plane, of lengths that vectors divide and do not divide, filled one after the other.
TEST_P(BytePlanesTest, EachCallFillsItsPartOfEveryPlane) {
  const std::size_t bytes = GetParam();
  std::mt19937 random(7);
  for (const std::size_t row : {1U, 15U, 16U, 33U, 64U, 1000U}) {
    const std::size_t count = 3 * row;
    std::vector<std::byte> numbers(count * bytes);
    for (std::byte& b : numbers) b = static_cast<std::byte>(random());
    std::vector<std::byte> expected(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) expected[i % bytes * count + i / bytes] = numbers[i];
    std::vector<std::byte> planes(numbers.size());
    std::vector<std::byte> back(numbers.size());
    for (const std::size_t r : {1U, 0U, 2U}) {
      to_byte_planes(std::span(numbers).subspan(r * row * bytes, row * bytes), bytes, planes.data() + r * row, count);
    }
    EXPECT_EQ(planes, expected) << "rows of " << row;
    for (const std::size_t r : {2U, 1U, 0U}) {
      from_byte_planes(planes.data() + r * row, count, bytes, std::span(back).subspan(r * row * bytes, row * bytes));
    }
    EXPECT_EQ(back, numbers) << "rows of " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, BytePlanesTest, testing::Values(1, 2, 3, 4, 8, 16));

}  // namespace
}  // namespace weft
