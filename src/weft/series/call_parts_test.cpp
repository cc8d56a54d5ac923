#include "weft/series/call_parts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weft::series {
namespace {

// Each element in one part, and no part above the limit.
void expect_tiling(const Shape& count, std::uint64_t element_bytes, std::uint64_t limit) {
  std::set<Shape> seen;
  for (const Box& part : call_parts(count, element_bytes, limit)) {
    EXPECT_LE(element_count(part.count) * element_bytes, std::max(limit, element_bytes));
    const std::uint64_t elements = element_count(part.count);
    for (std::uint64_t i = 0; i < elements; ++i) {
      Shape at(count.size());
      std::uint64_t rest = i;
      for (std::size_t axis = count.size(); axis-- > 0;) {
        at[axis] = part.start[axis] + rest % part.count[axis];
        rest /= part.count[axis];
        ASSERT_LT(at[axis], count[axis]);
      }
      ASSERT_TRUE(seen.insert(at).second);
    }
  }
  EXPECT_EQ(seen.size(), element_count(count));
}

TEST(CallPartsTest, PartsTileTheArray) {
  for (const std::uint64_t limit : {1U, 8U, 9U, 50U, 100U, 1000U, 100000U}) {
    for (const Shape& count : {Shape{7}, Shape{5, 11}, Shape{5, 11, 2}, Shape{3, 4, 5, 2}, Shape{1, 1, 1}}) {
      SCOPED_TRACE(to_string(count) + " within " + std::to_string(limit));
      expect_tiling(count, 8, limit);
    }
  }
}

TEST(CallPartsTest, TheExampleOfTheHeader) {
  const std::vector<Box> parts = call_parts({151, 1626658, 2}, 8, 1ULL << 30);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].count[0], 151U);
  EXPECT_EQ(parts[0].count[1], 444429U);
}

TEST(CallPartsTest, AnEmptyArrayHasNoParts) {
  EXPECT_TRUE(call_parts({0, 11}, 8, 100).empty());
  EXPECT_TRUE(call_parts({5, 0}, 8, 100).empty());
}

}  // namespace
}  // namespace weft::series
