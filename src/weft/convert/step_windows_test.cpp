#include "weft/convert/step_windows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace weft::convert {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint64_t> lengths(const std::vector<std::uint64_t>& steps, std::uint64_t most, std::uint64_t chunk) {
  std::vector<std::uint64_t> counts;
  std::size_t next = 0;
  for (const StepWindow& window : step_windows(steps, most, [&](std::uint64_t step) { return step / chunk; })) {
    EXPECT_EQ(window.first, next);
    next += window.count;
    counts.push_back(window.count);
  }
  EXPECT_EQ(next, steps.size());
  return counts;
}

TEST(StepWindows, EndWhereChunksDo) {
  std::vector<std::uint64_t> steps(20);
  std::iota(steps.begin(), steps.end(), 0);
  EXPECT_THAT(lengths(steps, 10, 8), ElementsAre(8, 8, 4));
  EXPECT_THAT(lengths(steps, 5, 8), ElementsAre(5, 3, 5, 3, 4));
  EXPECT_THAT(lengths(steps, 100, 8), ElementsAre(20));
  EXPECT_THAT(lengths(steps, 19, 8), ElementsAre(16, 4));
  EXPECT_THAT(lengths({3, 7, 8, 20}, 3, 8), ElementsAre(3, 1));
  EXPECT_THAT(lengths({}, 3, 8), ElementsAre());
}

TEST(StepWindows, TilesAreWholeChunksWhereTheyFit) {
  EXPECT_EQ(tile_for(151, 1000, 19, 100, 200'000), (Tile{151, 1000}));
  EXPECT_EQ(tile_for(151, 1000, 19, 100, 50'000), (Tile{38, 1000}));
  EXPECT_EQ(tile_for(151, 1000, 19, 100, 5'000), (Tile{19, 200}));
  EXPECT_EQ(tile_for(151, 1000, 19, 100, 1'000), (Tile{19, 52}));
  EXPECT_EQ(tile_for(151, 1000, 19, 100, 5), (Tile{1, 5}));
  EXPECT_EQ(tile_for(151, 1000, 19, 100, 0).rows, 0);
  EXPECT_EQ(tile_for(3, 10, 19, 100, 30), (Tile{3, 10}));
  EXPECT_EQ(tile_for(3, 0, 19, 100, 30), (Tile{1, 1})) << "a rank without rows";
}

}  // namespace
}  // namespace weft::convert
