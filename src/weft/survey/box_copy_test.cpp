#include "weft/survey/box_copy.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weft::survey {
namespace {

std::uint64_t pick(std::mt19937& random, std::uint64_t least, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
}

std::uint64_t index_of(const Shape& at, const Shape& shape) {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) index = index * shape[i] + at[i];
  return index;
}

// Element by element: what copy_box must equal.
void copy_plainly(std::vector<std::byte>& to, const Shape& to_shape, const Shape& to_at,
                  const std::vector<std::byte>& from, const Shape& from_shape, const Shape& from_at, const Shape& count,
                  std::uint64_t bytes) {
  const std::uint64_t elements = element_count(count);
  for (std::uint64_t n = 0; n < elements; ++n) {
    Shape target = to_at;
    Shape source = from_at;
    std::uint64_t rest = n;
    for (std::size_t i = count.size(); i-- > 0;) {
      target[i] += rest % count[i];
      source[i] += rest % count[i];
      rest /= count[i];
    }
    for (std::uint64_t b = 0; b < bytes; ++b) {
      to[index_of(target, to_shape) * bytes + b] = from[index_of(source, from_shape) * bytes + b];
    }
  }
}

TEST(BoxCopy, EqualsCopyingElementByElement) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t rank = pick(random, 1, 5);
    const std::uint64_t bytes = std::vector<std::uint64_t>{1, 2, 3, 4, 8, 12, 16, 24}[pick(random, 0, 7)];
    Shape count;
    Shape to_shape;
    Shape to_at;
    Shape from_shape;
    Shape from_at;
    for (std::size_t i = 0; i < rank; ++i) {
      count.push_back(pick(random, 1, 5));
      to_at.push_back(pick(random, 0, 1) * pick(random, 0, 2));
      from_at.push_back(pick(random, 0, 1) * pick(random, 0, 2));
      to_shape.push_back(count[i] + to_at[i] + pick(random, 0, 1));
      from_shape.push_back(count[i] + from_at[i] + pick(random, 0, 1));
    }
    std::vector<std::byte> from(element_count(from_shape) * bytes);
    for (std::byte& b : from) b = static_cast<std::byte>(random());
    std::vector<std::byte> to(element_count(to_shape) * bytes);
    std::vector<std::byte> plain = to;
    copy_plainly(plain, to_shape, to_at, from, from_shape, from_at, count, bytes);
    copy_box({to.data(), to_shape, to_at}, {from.data(), from_shape, from_at}, count, bytes);
    ASSERT_EQ(to, plain) << to_string(count);
  }
}

TEST(BoxCopy, CommonPart) {
  EXPECT_EQ(common_part({{2, 0}, {4, 9}}, {{4, 3}, {9, 3}}), (Box{{4, 3}, {2, 3}}));
  EXPECT_TRUE(is_empty(common_part({{0}, {4}}, {{4}, {4}})));
}

}  // namespace
}  // namespace weft::survey
