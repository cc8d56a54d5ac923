#include "kernels/blast/blast_nodes.hpp"

#include <gtest/gtest.h>

namespace weft::kernels::blast {
namespace {

TEST(BlastNodes, TheExampleOfTheHeader) {
  const BlastNodes nodes{8, 5};
  ASSERT_EQ(nodes.count(), 2U);
  EXPECT_EQ(nodes[0].master(), 0U);
  EXPECT_EQ(nodes[0].writer(), 4U);
  EXPECT_EQ(nodes[0].first_worker(), 1U);
  EXPECT_EQ(nodes[0].workers(), 3U);
  EXPECT_EQ(nodes[1].master(), 5U);
  EXPECT_EQ(nodes[1].writer(), 7U);
  EXPECT_EQ(nodes[1].first_worker(), 6U);
  EXPECT_EQ(nodes[1].workers(), 1U);
}

TEST(BlastNodes, EveryRankHasWorkAndEveryNodeAWriter) {
  for (std::uint64_t ranks = 1; ranks <= 40; ++ranks) {
    for (std::uint64_t per_node = 1; per_node <= 42; ++per_node) {
      const BlastNodes nodes{ranks, per_node};
      std::uint64_t seen = 0;
      for (std::uint64_t n = 0; n < nodes.count(); ++n) {
        const BlastNode node = nodes[n];
        ASSERT_EQ(node.first, seen);
        ASSERT_GE(node.workers(), 1U);
        for (std::uint64_t rank = node.first; rank < node.first + node.ranks; ++rank) {
          ASSERT_EQ(nodes.node_of(rank), n);
          ASSERT_TRUE(rank == node.master() || rank == node.writer() || node.has_worker(rank));
          // From three ranks on nobody is two things.
          if (node.ranks >= 3) {
            ASSERT_EQ((rank == node.master()) + (rank == node.writer()) + node.has_worker(rank), 1);
          }
        }
        seen += node.ranks;
      }
      ASSERT_EQ(seen, ranks);
    }
  }
}

// The paper's benchmark: 24,576 cores on 2,048 nodes.
TEST(BlastNodes, ThePapersRun) {
  const BlastNodes nodes{24576, 12};
  EXPECT_EQ(nodes.count(), 2048U);
  EXPECT_EQ(nodes[2047].workers(), 10U);
}

}  // namespace
}  // namespace weft::kernels::blast
