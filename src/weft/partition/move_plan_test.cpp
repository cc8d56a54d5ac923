// Tiles, owners and moves, against counting element by element.
#include "weft/partition/move_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "weft/support/error.hpp"

namespace weft::partition {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TileGridTest, TheExampleOfTheHeader) {
  const TileGrid grid({400000, 2}, {3449, 2});
  EXPECT_EQ(grid.tiles(), 116U);
  EXPECT_EQ(grid.tile_elements(), 6898U);
  EXPECT_EQ(grid.valid_elements(0), 6898U);
  EXPECT_EQ(grid.valid_elements(115), 2 * 3365U);
}

TEST(TileGridTest, EveryElementIsInOneTileAndTheRestIsPadding) {
  for (const auto& [shape, tile] : std::vector<std::pair<Shape, Shape>>{
           {{}, {}}, {{7}, {3}}, {{7, 2}, {3, 2}}, {{7, 4}, {2, 3}}, {{5, 6, 7}, {2, 6, 7}}, {{5, 6, 7}, {2, 4, 3}}}) {
    const TileGrid grid(shape, tile);
    std::set<std::uint64_t> seen;
    for (std::uint64_t t = 0; t < grid.tiles(); ++t) {
      std::uint64_t valid = 0;
      for (std::uint64_t offset = 0; offset < grid.tile_elements(); ++offset) {
        if (grid.is_padding(t, offset)) continue;
        ++valid;
        EXPECT_TRUE(seen.insert(grid.global_of(t, offset)).second);
      }
      EXPECT_EQ(valid, grid.valid_elements(t));
    }
    EXPECT_EQ(seen.size(), element_count(shape));
  }
}

TEST(TileGridTest, ACutKeepsEveryElementInItsPlace) {
  const Shape shape{9, 5, 4};
  const Ownership owned = Ownership::box_with_ghosts(shape, Box{{2, 0, 0}, {5, 5, 4}}, Box{{3, 1, 1}, {3, 4, 2}});
  const TileGrid grid(shape, {2, 3, 3});
  std::set<std::pair<std::uint64_t, std::uint64_t>> wanted;  // (global, local)
  for (const partition::Run& run : owned.runs()) {
    for (std::uint64_t i = 0; i < run.length; ++i) wanted.emplace(run.global + i, run.local + i);
  }
  std::set<std::pair<std::uint64_t, std::uint64_t>> got;
  for (const Piece& piece : grid.cut(owned)) {
    for (std::uint64_t i = 0; i < piece.length; ++i) {
      got.emplace(grid.global_of(piece.tile, piece.offset + i), piece.local + i);
    }
  }
  EXPECT_EQ(got, wanted);
}

TEST(MovePlanTest, OnlyTheStraddlingNodesMove) {
  // 10 nodes in tiles of 4 (0-3, 4-7, 8-9); rank 0 holds 0-4, rank 1 the rest. Tile 1 is rank 1's, by 3 to 1.
  const Shape shape{10};
  const std::vector<Ownership> all{Ownership::box(shape, Box{{0}, {5}}), Ownership::box(shape, Box{{5}, {5}})};
  const std::vector<MovePlan> plans = plan_moves(TileGrid(shape, {4}), all, Writers(2));
  EXPECT_THAT(plans[0].tiles, ElementsAre(0));
  EXPECT_THAT(plans[0].copies, ElementsAre(Copy{.offset = 0, .local = 0, .slot = 0, .length = 4}));
  ASSERT_EQ(plans[0].outbound.size(), 1U);
  EXPECT_EQ(plans[0].outbound[0], (Outbound{1, 1, {Taken{.local = 4, .length = 1}}}));
  EXPECT_THAT(plans[1].tiles, ElementsAre(1, 2));
  EXPECT_THAT(plans[1].copies, ElementsAre(Copy{.offset = 1, .local = 0, .slot = 0, .length = 3},
                                           Copy{.offset = 0, .local = 3, .slot = 1, .length = 2}));
  ASSERT_EQ(plans[1].inbound.size(), 1U);
  EXPECT_EQ(plans[1].inbound[0], (Inbound{0, 1, {Placed{.offset = 0, .slot = 0, .length = 1}}}));
}

TEST(MovePlanTest, AScatteredFieldIsSharedEvenly) {
  const Shape shape{1000};
  std::vector<Ownership> all;
  for (std::uint64_t r = 0; r < 4; ++r) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t n = r; n < 1000; n += 4) ids.push_back(n);
    all.push_back(Ownership::nodes(shape, ids));
  }
  for (const MovePlan& plan : plan_moves(TileGrid(shape, {10}), all, Writers(4))) {
    EXPECT_EQ(plan.tiles.size(), 25U);
    // 250 nodes of its own: some stay, the others go to three ranks, and as many come.
    const std::size_t stay = plan.copies.size();
    EXPECT_EQ(plan.memory_bytes(), 25 * 8 + stay * 24 + (250 - stay) * (16 + 16) + 3 * (40 + 40));
  }
}

TEST(MovePlanTest, BlockOfIsTheInverseOfEvenBlocks) {
  for (const std::uint64_t tiles : {1U, 3U, 7U, 20U}) {
    for (const int ranks : {1, 2, 3, 7}) {
      for (int r = 0; r < ranks; ++r) {
        const Block block = even_block(tiles, r, ranks);
        for (std::uint64_t i = 0; i < block.count; ++i) EXPECT_EQ(block_of(block.first + i, tiles, ranks), r);
      }
    }
  }
}

TEST(MovePlanTest, HolesAndDoubleOwnersAreNamed) {
  const Shape shape{10, 2};
  const TileGrid grid(shape, {4, 2});
  const auto line = [&](const std::vector<Ownership>& all) {
    try {
      plan_moves(grid, all, Writers(2), OwnerRule::majority, "V");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Ownership low = Ownership::box(shape, Box{{0, 0}, {5, 2}});
  EXPECT_THAT(line({low, Ownership::box(shape, Box{{6, 0}, {4, 2}})}),
              HasSubstr("field V: element 10 of a step is owned by no"));
  EXPECT_THAT(line({low, Ownership::box(shape, Box{{4, 0}, {6, 2}})}),
              HasSubstr("element 8 of a step is owned by two"));
  EXPECT_THAT(line({low, Ownership::none(shape)}), HasSubstr("element 10 of a step is owned by no"));
}

}  // namespace
}  // namespace weft::partition
