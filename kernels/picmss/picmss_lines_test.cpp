#include "kernels/picmss/picmss_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::kernels::picmss {
namespace {

TEST(PicmssLines, ThePapersRun) {
  const LineGrid grid({256, 256, 256});
  EXPECT_EQ(grid.lines(), 65536U);
  EXPECT_EQ(grid.bricks(), 255U * 255 * 255);
  EXPECT_EQ(grid.lines_of(0, 3000), (Stretch{0, 22}));
  EXPECT_EQ(grid.lines_of(2535, 3000), (Stretch{2535ULL * 22, 22}));
  EXPECT_EQ(grid.lines_of(2536, 3000), (Stretch{2536ULL * 22, 21}));
  EXPECT_EQ(grid.lines_of(2999, 3000), (Stretch{65536 - 21, 21}));
  EXPECT_EQ(grid.with_ghosts(grid.lines_of(0, 3000)), (Stretch{0, 22 + 256}));
  EXPECT_EQ(grid.with_ghosts(grid.lines_of(1500, 3000)), (Stretch{1500 * 22 - 256, 22 + 512}));
  EXPECT_EQ(grid.with_ghosts(grid.lines_of(2999, 3000)), (Stretch{65536 - 21 - 256, 21 + 256}));
}

TEST(PicmssLines, BricksBelongToTheRankOfTheirFirstCorner) {
  for (const Extent extent : {Extent{2, 2, 2}, Extent{5, 3, 4}, Extent{3, 7, 2}}) {
    const LineGrid grid(extent);
    for (std::uint64_t ranks = 1; ranks <= grid.lines() + 2; ++ranks) {
      std::uint64_t next = 0;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const Stretch lines = grid.lines_of(rank, ranks);
        std::uint64_t bricks = 0;
        for (std::uint64_t line = lines.first; line < lines.end(); ++line) {
          const bool last = line % extent[1] == extent[1] - 1 || line / extent[1] == extent[2] - 1;
          bricks += last ? 0 : extent[0] - 1;
        }
        EXPECT_EQ(grid.bricks_of(lines), (Stretch{next, bricks}));
        next += bricks;
      }
      EXPECT_EQ(next, grid.bricks());
    }
  }
}

TEST(PicmssLines, BoxesAreTheLinesInTheirOrder) {
  const LineGrid grid({5, 3, 4});
  EXPECT_TRUE(grid.boxes_of({0, 0}).empty());
  EXPECT_THAT(grid.boxes_of({0, 12}), testing::ElementsAre(Box{{0, 0, 0}, {4, 3, 5}}));
  EXPECT_THAT(grid.boxes_of({1, 1}), testing::ElementsAre(Box{{0, 1, 0}, {1, 1, 5}}));
  EXPECT_THAT(grid.boxes_of({2, 9}),
              testing::ElementsAre(Box{{0, 2, 0}, {1, 1, 5}}, Box{{1, 0, 0}, {2, 3, 5}}, Box{{3, 0, 0}, {1, 2, 5}}));
  EXPECT_THAT(grid.boxes_of({4, 3}), testing::ElementsAre(Box{{1, 1, 0}, {1, 2, 5}}, Box{{2, 0, 0}, {1, 1, 5}}));
}

}  // namespace
}  // namespace weft::kernels::picmss
