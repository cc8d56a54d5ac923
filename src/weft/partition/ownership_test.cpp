#include "weft/partition/ownership.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::partition {
namespace {

using testing::ElementsAre;

TEST(OwnershipTest, NodesInAnyOrderBecomeSortedRuns) {
  // The example of the header.
  const std::vector<std::uint64_t> ids{4, 5, 8};
  const Ownership owned = Ownership::nodes({10, 2}, ids);
  EXPECT_THAT(owned.runs(), ElementsAre(partition::Run{8, 0, 4}, partition::Run{16, 4, 2}));
  EXPECT_EQ(owned.local_elements(), 6U);
  EXPECT_EQ(owned.owned_elements(), 6U);

  const std::vector<std::uint64_t> falling{3, 2};
  EXPECT_THAT(Ownership::nodes({10}, falling).runs(), ElementsAre(partition::Run{2, 1, 1}, partition::Run{3, 0, 1}));
}

TEST(OwnershipTest, GhostsAreHeldAndNotOwned) {
  const std::vector<std::uint64_t> ids{4, 5, 6};
  const std::vector<std::uint8_t> ghost{0, 1, 0};
  const Ownership owned = Ownership::nodes({10}, ids, ghost);
  EXPECT_THAT(owned.runs(), ElementsAre(partition::Run{4, 0, 1}, partition::Run{6, 2, 1}));
  EXPECT_EQ(owned.local_elements(), 3U);
  EXPECT_EQ(owned.owned_elements(), 2U);

  // Rows 2..4 of a 6 x 3 array are held, row 3 is owned.
  const Ownership box = Ownership::box_with_ghosts({6, 3}, Box{{2, 0}, {3, 3}}, Box{{3, 0}, {1, 3}});
  EXPECT_THAT(box.runs(), ElementsAre(partition::Run{9, 3, 3}));
  EXPECT_EQ(box.local_elements(), 9U);
  EXPECT_FALSE(box.as_box());
}

TEST(OwnershipTest, BoxesLieOneBehindTheOther) {
  const std::vector<Box> boxes{Box{{1, 1}, {2, 2}}, Box{{0, 0}, {1, 4}}};
  const Ownership owned = Ownership::boxes({3, 4}, boxes);
  EXPECT_THAT(owned.runs(), ElementsAre(partition::Run{0, 4, 4}, partition::Run{5, 0, 2}, partition::Run{9, 2, 2}));
}

TEST(OwnershipTest, ABoxWithoutGhostsIsKnownAsOne) {
  EXPECT_EQ(Ownership::all({3, 4}).as_box(), whole({3, 4}));
  EXPECT_THAT(Ownership::all({3, 4}).runs(), ElementsAre(partition::Run{0, 0, 12}));
  EXPECT_TRUE(Ownership::none({3, 4}).as_box());
  EXPECT_TRUE(Ownership::none({3, 4}).runs().empty());
  EXPECT_EQ(Ownership::all({}).owned_elements(), 1U);
}

TEST(OwnershipTest, WhatCannotBeIsRefused) {
  const std::vector<std::uint64_t> outside{10};
  const std::vector<std::uint64_t> twice{3, 4, 3};
  const std::vector<std::uint64_t> fine{1, 2};
  const std::vector<std::uint8_t> one_mark{0};
  EXPECT_THROW(Ownership::nodes({10}, outside), Error);
  EXPECT_THROW(Ownership::nodes({10}, twice), Error);
  EXPECT_THROW(Ownership::nodes({10}, fine, one_mark), Error);
  EXPECT_THROW(Ownership::nodes({}, fine), Error);
  EXPECT_THROW(Ownership::box({10}, Box{{8}, {3}}), Error);
  EXPECT_THROW(Ownership::box({10}, Box{{~0ULL}, {3}}), Error);
  EXPECT_THROW(Ownership::box_with_ghosts({10}, Box{{2}, {3}}, Box{{4}, {2}}), Error);
  const std::vector<Box> overlapping{Box{{0}, {4}}, Box{{3}, {4}}};
  EXPECT_THROW(Ownership::boxes({10}, overlapping), Error);
}

TEST(OwnershipTest, EvenBlocksCoverEverythingOnce) {
  for (const std::uint64_t count : {0U, 1U, 5U, 7U, 100U}) {
    for (const int ranks : {1, 2, 3, 7}) {
      std::uint64_t next = 0;
      for (int r = 0; r < ranks; ++r) {
        const Block block = even_block(count, r, ranks);
        EXPECT_EQ(block.first, next);
        EXPECT_LE(block.count, count / static_cast<std::uint64_t>(ranks) + 1);
        next += block.count;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace weft::partition
