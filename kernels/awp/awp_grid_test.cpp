#include "kernels/awp/awp_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "weft/support/error.hpp"

namespace weft::kernels::awp {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(AwpGrid, ThePapersRun) {
  const Extent points = io_grid({10125, 5000, 1060}, 2);
  EXPECT_EQ(points, (Extent{5062, 2500, 530}));
  const ProcessGrid grid(points, {75, 40, 10});
  EXPECT_EQ(grid.least_part(), (Extent{67, 62, 53}));
  EXPECT_EQ(grid.greatest_part(), (Extent{68, 63, 53}));
  EXPECT_EQ(grid.part_of(0).count, (Extent{68, 63, 53}));
  // The 38th along x is the first of 67 points; the next row of ranks begins 63 points further along y.
  EXPECT_EQ(grid.part_of(37).start, (Extent{37ULL * 68, 0, 0}));
  EXPECT_EQ(grid.part_of(37).count, (Extent{67, 63, 53}));
  EXPECT_EQ(grid.part_of(75).start, (Extent{0, 63, 0}));
  EXPECT_EQ(grid.part_of(29999).start, (Extent{5062 - 67, 2500 - 62, 530 - 53}));
  EXPECT_THAT(grid.part_sizes(), ElementsAre(Pair(67 * 62 * 53, 38 * 20 * 10), Pair(68 * 62 * 53, 37 * 20 * 10),
                                             Pair(67 * 63 * 53, 38 * 20 * 10), Pair(68 * 63 * 53, 37 * 20 * 10)));
}

// Figure 1: 202 x 125 x 106 nodes, 3 x 2 x 2 processes.
TEST(AwpGrid, ThePapersFigure) {
  const ProcessGrid grid({202, 125, 106}, {3, 2, 2});
  EXPECT_EQ(grid.greatest_part(), (Extent{68, 63, 53}));
  EXPECT_EQ(grid.least_part(), (Extent{67, 62, 53}));
  EXPECT_EQ(grid.part_of(1).start, (Extent{68, 0, 0}));
  EXPECT_EQ(grid.part_of(11).start, (Extent{68 + 67, 63, 53}));
}

TEST(AwpGrid, EveryPointIsOneRanks) {
  for (const Extent processes : {Extent{1, 1, 1}, Extent{3, 2, 2}, Extent{7, 5, 3}, Extent{4, 1, 2}}) {
    const ProcessGrid grid({7, 5, 3}, processes);
    std::vector<int> holders(105);
    std::map<std::uint64_t, std::uint64_t> sizes;
    for (std::uint64_t rank = 0; rank < volume(processes); ++rank) {
      const auto [start, count] = grid.part_of(rank);
      ++sizes[volume(count)];
      for (std::uint64_t z = start[2]; z < start[2] + count[2]; ++z) {
        for (std::uint64_t y = start[1]; y < start[1] + count[1]; ++y) {
          for (std::uint64_t x = start[0]; x < start[0] + count[0]; ++x) ++holders[(z * 5 + y) * 7 + x];
        }
      }
    }
    EXPECT_THAT(holders, testing::Each(1)) << to_string(processes);
    EXPECT_EQ(grid.part_sizes(), sizes) << to_string(processes);
  }
}

TEST(AwpGrid, EvenProcesses) {
  EXPECT_EQ(even_processes({101, 62, 53}, 1), (Extent{1, 1, 1}));
  EXPECT_EQ(even_processes({101, 62, 53}, 2), (Extent{2, 1, 1}));
  EXPECT_EQ(even_processes({101, 62, 53}, 12), (Extent{3, 2, 2}));
  EXPECT_EQ(even_processes({8, 8, 8}, 8), (Extent{2, 2, 2}));
  EXPECT_EQ(even_processes({3, 1, 7}, 7), (Extent{1, 1, 7}));
  EXPECT_EQ(even_processes({5, 4, 3}, 60), (Extent{5, 4, 3}));
  EXPECT_THROW(even_processes({3, 3, 3}, 7), Error);
  EXPECT_THROW(even_processes({3, 3, 3}, 54), Error);
  EXPECT_EQ(even_processes({5062, 2500, 530}, 30000), (Extent{60, 50, 10}));
}

}  // namespace
}  // namespace weft::kernels::awp
