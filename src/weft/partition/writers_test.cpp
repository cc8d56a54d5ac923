// Who writes, and how little travels between nodes.
#include "weft/partition/writers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "weft/partition/move_plan.hpp"
#include "weft/support/error.hpp"

namespace weft::partition {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> even_nodes_of(int ranks, int per_node) {
  std::vector<std::uint64_t> nodes;
  for (int r = 0; r < ranks; ++r) nodes.push_back(static_cast<std::uint64_t>(100 + r / per_node));
  return nodes;
}

TEST(WritersTest, WordsAreRead) {
  EXPECT_EQ(parse_writers("all"), WriterLimit{});
  EXPECT_EQ(parse_writers("4/node"), (WriterLimit{4, 0}));
  EXPECT_EQ(parse_writers("16"), (WriterLimit{0, 16}));
  for (const WriterLimit limit : {WriterLimit{}, WriterLimit{4, 0}, WriterLimit{0, 16}}) {
    EXPECT_EQ(parse_writers(text_of(limit)), limit);
  }
  for (const char* bad : {"", "0", "0/node", "-1", "4/nodes", "4 /node", "many", "1.5"}) {
    EXPECT_THROW(parse_writers(bad), Error) << bad;
  }
}

TEST(WritersTest, EveryNodeHasItsOwnAndTheyStandForTheirNeighbours) {
  const Writers writers(even_nodes_of(10, 4), {.per_node = 2, .in_all = 0});  // nodes of 4, 4 and 2
  EXPECT_EQ(writers.nodes(), 3);
  EXPECT_THAT(writers.all(), ElementsAre(0, 2, 4, 6, 8, 9));
  EXPECT_THAT(writers.on_node(1), ElementsAre(4, 6));
  std::vector<int> stands;
  for (int r = 0; r < 10; ++r) stands.push_back(writers.writer_of(r).value());
  EXPECT_THAT(stands, ElementsAre(0, 0, 2, 2, 4, 4, 6, 6, 8, 9));
}

TEST(WritersTest, SoManyInAllAreSpreadOverTheNodes) {
  EXPECT_THAT(Writers(even_nodes_of(8, 4), {.per_node = 0, .in_all = 3}).all(), ElementsAre(0, 2, 4));
  EXPECT_THAT(Writers(even_nodes_of(8, 1), {.per_node = 0, .in_all = 3}).all(), ElementsAre(0, 2, 5));
  for (int ranks = 1; ranks < 30; ++ranks) {
    for (int per_node = 1; per_node < 9; ++per_node) {
      for (int wanted = 1; wanted <= ranks; ++wanted) {
        const Writers writers(even_nodes_of(ranks, per_node),
                              {.per_node = 0, .in_all = static_cast<std::uint64_t>(wanted)});
        EXPECT_LE(writers.count(), wanted);
        EXPECT_GE(writers.count(), 1);
        if (ranks % per_node == 0) {
          EXPECT_EQ(writers.count(), wanted) << ranks << " ranks, " << per_node << " a node";
        }
      }
    }
  }
  EXPECT_FALSE(Writers(even_nodes_of(8, 1), {.per_node = 0, .in_all = 3}).writer_of(1).has_value());
}

TEST(WritersTest, AllOnOneNodeIsAsItWas) {
  EXPECT_EQ(usual_writers(even_nodes_of(64, 64), false), WriterLimit{});
  EXPECT_EQ(usual_writers(even_nodes_of(64, 16), false), (WriterLimit{8, 0}));
  EXPECT_EQ(usual_writers(even_nodes_of(64, 16), true), WriterLimit{});
}

// What travels between nodes, and the least that could.
struct Travel {
  std::uint64_t bytes = 0;
  std::uint64_t least = 0;
};
Travel travel(const TileGrid& grid, const std::vector<Ownership>& all, const Writers& writers) {
  Travel seen;
  const std::vector<MovePlan> plans = plan_moves(grid, all, writers);
  for (std::size_t r = 0; r < plans.size(); ++r) {
    for (const Outbound& message : plans[r].outbound) {
      if (writers.node_of(message.peer) != writers.node_of(static_cast<int>(r))) seen.bytes += message.elements;
    }
  }
  std::map<std::uint64_t, std::map<int, std::uint64_t>> held;  // of each tile, by nodes that may write it
  for (std::size_t r = 0; r < all.size(); ++r) {
    const int node = writers.node_of(static_cast<int>(r));
    for (const Piece& piece : grid.cut(all[r])) {
      held[piece.tile][node] += piece.length;
    }
  }
  for (const auto& [tile, nodes] : held) {
    std::uint64_t most = 0;
    for (const auto& [node, elements] : nodes) most = std::max(most, writers.on_node(node).empty() ? 0 : elements);
    seen.least += grid.valid_elements(tile) - most;
  }
  return seen;
}

TEST(WritersTest, OfEightNodesWithOneWriterEachNoMoreTravelsThanATenthAboveTheLeast) {
  constexpr int kRanks = 256;
  const Shape shape{60'007};
  std::mt19937 random(3);
  std::vector<std::vector<Ownership>> kinds(3);
  std::vector<std::vector<std::uint64_t>> near(kRanks);
  std::vector<std::vector<std::uint64_t>> anywhere(kRanks);
  for (std::uint64_t n = 0; n < shape[0]; ++n) {
    anywhere[random() % kRanks].push_back(n);
    // As a mesh is: most of a stretch is on one node, some of it on the next.
    const std::uint64_t home = n * kRanks / shape[0];
    near[random() % 4 == 0 ? (home + random() % 40) % kRanks : home].push_back(n);
  }
  for (int r = 0; r < kRanks; ++r) {
    kinds[0].push_back(even_nodes(shape, r, kRanks));
    kinds[1].push_back(Ownership::nodes(shape, near[static_cast<std::size_t>(r)]));
    kinds[2].push_back(Ownership::nodes(shape, anywhere[static_cast<std::size_t>(r)]));
  }
  for (const auto& all : kinds) {
    for (const std::uint64_t tile : {61U, 1'000U, 7'501U}) {
      for (const WriterLimit limit : {WriterLimit{1, 0}, WriterLimit{4, 0}, WriterLimit{0, 5}, WriterLimit{}}) {
        const Writers writers(even_nodes_of(kRanks, 32), limit);
        const Travel seen = travel(TileGrid(shape, {tile}), all, writers);
        EXPECT_LE(10 * seen.bytes, 11 * seen.least) << text_of(limit) << ", tiles of " << tile;
        EXPECT_GE(seen.bytes, seen.least);
      }
    }
  }
}

TEST(WritersTest, ScatteredTilesAreSharedEvenlyByTheWriters) {
  const Shape shape{3'200};
  std::vector<Ownership> all;
  for (std::uint64_t r = 0; r < 16; ++r) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t n = r; n < 3'200; n += 16) ids.push_back(n);
    all.push_back(Ownership::nodes(shape, ids));
  }
  const Writers writers(even_nodes_of(16, 4), {.per_node = 1, .in_all = 0});
  const std::vector<MovePlan> plans = plan_moves(TileGrid(shape, {32}), all, writers);
  for (std::size_t r = 0; r < 16; ++r) {
    EXPECT_EQ(plans[r].tiles.size(), r % 4 == 0 ? 25U : 0U);
    EXPECT_LE(plans[r].outbound.size(), 4U) << "a message a writer at most";
  }
}

}  // namespace
}  // namespace weft::partition
