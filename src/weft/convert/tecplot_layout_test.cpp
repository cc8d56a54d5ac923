#include "weft/convert/tecplot_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::convert {
namespace {

using ::testing::ElementsAre;

PltLayout worked_example() {
  return {"heart",
          DataType::float64,
          {{"V", "mV", DataType::float64, 0, false}},
          {{"mesh", ZoneType::tetrahedron, {100, 1, 1}, 240}},
          {{0.0, {}}, {0.5, {}}, {1.0, {}}}};
}

TEST(TecplotLayout, AsWorkedInTheHeader) {
  const PltLayout layout = worked_example();
  const std::uint64_t begin = layout.header().size();
  EXPECT_EQ(layout.zone_address(0, 0), begin);
  EXPECT_EQ(layout.values_address(0, 0, 0), begin + 96);
  EXPECT_EQ(layout.values_address(0, 0, 3), begin + 96 + 3UL * 800);
  EXPECT_EQ(layout.elements_address(0), begin + 96 + 4UL * 800);
  EXPECT_EQ(layout.zone_address(0, 1), begin + 96 + 4UL * 800 + 240UL * 16);
  EXPECT_EQ(layout.values_address(0, 1, 3), layout.zone_address(0, 1) + 64);
  EXPECT_EQ(layout.zone_address(0, 2), layout.zone_address(0, 1) + 64 + 800);
  EXPECT_EQ(layout.bytes(), layout.zone_address(0, 2) + 64 + 800);
  EXPECT_EQ(layout.zone_head(0, 0, std::vector<PltRange>(4)).size(), 96);
  EXPECT_EQ(layout.zone_head(0, 1, std::vector<PltRange>(1)).size(), 64);
}

TEST(TecplotLayout, BlocksFollowEachOtherAndAreNotMixed) {
  const PltLayout layout("two", DataType::float32,
                         {{"V", "", DataType::float32, 0, false},
                          {"c", "", DataType::int32, 0, true},
                          {"s", "", DataType::uint8, 1, false}},
                         {{"mesh", ZoneType::brick, {10, 1, 1}, 4}, {"part", ZoneType::ordered, {3, 1, 1}, 0}},
                         {{0.0, {}}, {1.0, {}}});
  EXPECT_THAT(layout.stored(0, 0), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(layout.stored(0, 1), ElementsAre(3, 4));
  EXPECT_THAT(layout.stored(1, 1), ElementsAre(5));
  for (std::size_t block = 0; block < 2; ++block) {
    for (std::size_t step = 0; step < 2; ++step) {
      const auto stored = layout.stored(block, step);
      const auto head = layout.zone_head(block, step, std::vector<PltRange>(stored.size()));
      EXPECT_EQ(layout.zone_address(block, step) + head.size(), layout.values_address(block, step, stored[0]));
    }
  }
  EXPECT_EQ(layout.values_address(0, 1, 4), layout.values_address(0, 1, 3) + 40);
  EXPECT_EQ(layout.zone_address(1, 0), layout.values_address(0, 1, 4) + 16);
  EXPECT_EQ(layout.bytes(), layout.values_address(1, 1, 5) + 3);
}

TEST(TecplotLayout, MoreThanItCanCountIsAnError) {
  const std::vector<PltBlock> blocks{{"mesh", ZoneType::ordered, {1U << 16, 1U << 16, 1}, 0}};
  EXPECT_THROW(PltLayout("", DataType::float64, {}, blocks, {{0.0, {}}}), Error);
}

TEST(TecplotLayout, RangesLeaveOutWhatIsNoNumber) {
  PltRange range;
  range.add(std::numeric_limits<double>::quiet_NaN());
  range.add(3.0);
  range.add(-1.0);
  EXPECT_EQ(range.least, -1.0);
  EXPECT_EQ(range.greatest, 3.0);
  range.add(PltRange{});  // of a rank without values
  EXPECT_EQ(range.least, -1.0);
  EXPECT_EQ(range.greatest, 3.0);
}

}  // namespace
}  // namespace weft::convert
