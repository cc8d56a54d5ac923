// Against the plan that the engine's rule makes element by element.
#include "predict/series_messages.hpp"

#include <gtest/gtest.h>

#include <set>

#include "weft/partition/move_plan.hpp"
#include "weft/support/data_type.hpp"

namespace weft::predict {
namespace {

struct Case {
  Shape per_step;
  Shape tile;
  std::uint64_t ranks;
  std::uint64_t ranks_per_node;
  partition::WriterLimit writers;
};

// Blocks along the first axis; with three axes along the last as well, so that boxes are no stretches.
Box owned(const Case& of, std::uint64_t rank) {
  Box box = whole(of.per_step);
  const bool both = of.per_step.size() == 3 && of.ranks % 2 == 0;
  const std::uint64_t rows = both ? of.ranks / 2 : of.ranks;
  const partition::Block row =
      partition::even_block(of.per_step[0], static_cast<int>(rank % rows), static_cast<int>(rows));
  box.start[0] = row.first;
  box.count[0] = row.count;
  if (both) {
    const partition::Block column = partition::even_block(of.per_step[2], static_cast<int>(rank / rows), 2);
    box.start[2] = column.first;
    box.count[2] = column.count;
  }
  return box;
}

TEST(SeriesMessages, AreThoseOfTheEnginesPlan) {
  const std::vector<Case> cases = {
      {{1000, 2}, {37, 2}, 1, 0, {}},
      {{1000, 2}, {37, 2}, 2, 0, {}},
      {{1000, 2}, {37, 2}, 7, 0, {}},
      {{1000, 2}, {600, 2}, 4, 0, {}},
      {{1000, 2}, {37, 2}, 24, 4, {1, 0}},
      {{1000, 2}, {37, 2}, 24, 4, {0, 7}},
      {{3, 2}, {1, 2}, 7, 0, {}},
      {{30, 20, 12}, {7, 9, 5}, 6, 0, {}},
      {{30, 20, 12}, {7, 20, 12}, 8, 2, {1, 0}},
      {{30, 20, 12}, {4, 9, 12}, 3, 0, {}},
  };
  for (const Case& of : cases) {
    FieldSpec field;
    field.name = "V";
    field.per_step = of.per_step;
    field.layout.kind = LayoutKind::given;
    field.layout.chunk = of.tile;
    field.layout.chunk.insert(field.layout.chunk.begin(), 1);
    SeriesShape shape;
    shape.fields = {field, field};  // two, which share their messages
    shape.place_axes = of.per_step.size() == 3 ? 3 : 1;
    shape.ranks = of.ranks;
    std::vector<std::uint64_t> nodes;
    std::vector<partition::Ownership> ownerships;
    for (std::uint64_t rank = 0; rank < of.ranks; ++rank) {
      nodes.push_back(of.ranks_per_node == 0 ? 0 : rank / of.ranks_per_node);
      ownerships.push_back(partition::Ownership::box(of.per_step, owned(of, rank)));
    }
    const partition::Writers writers(nodes, of.writers);
    EXPECT_FALSE(window_messages(shape, writers)) << "nobody said who holds what";
    shape.owned = [&](const FieldSpec&, std::uint64_t rank) { return owned(of, rank); };
    const auto said = window_messages(shape, writers);
    ASSERT_TRUE(said);
    std::uint64_t messages = 0;
    std::uint64_t elements = 0;
    const partition::TileGrid grid(of.per_step, of.tile);
    std::size_t rank = 0;
    for (const auto& plan : partition::plan_moves(grid, ownerships, writers)) {
      messages += plan.outbound.size();
      elements += plan.sent_elements;
      // Two fields have one plan. The times of the steps are a tile of rank 0's.
      constexpr std::uint64_t kPlanOfTimes = sizeof(std::uint64_t) + sizeof(partition::Copy);
      EXPECT_EQ(said->plan_bytes[rank], plan.memory_bytes() + (rank == 0 ? kPlanOfTimes : 0)) << "rank " << rank;
      EXPECT_EQ(said->owners[rank], rank == 0 || !plan.tiles.empty());
      const std::uint64_t times = rank == 0 ? sizeof(double) : 0;
      EXPECT_EQ(said->needs[rank].tile_bytes_per_step, times + 2 * plan.tiles.size() * grid.tile_elements() * 8);
      EXPECT_EQ(said->needs[rank].mail_bytes_per_step, 2 * (plan.sent_elements + plan.received_elements) * 8);
      std::vector<std::uint64_t> runs;
      for (std::size_t tile = 0; tile < plan.tiles.size(); ++tile) {
        if (tile == 0 || plan.tiles[tile - 1] + 1 != plan.tiles[tile]) runs.push_back(0);
        ++runs.back();
      }
      EXPECT_EQ(said->tile_runs[1][rank], runs);
      EXPECT_EQ(said->tile_runs[2][rank], runs);
      ++rank;
    }
    EXPECT_EQ(said->count, messages) << of.ranks << " ranks";
    EXPECT_EQ(said->step_bytes, 2 * elements * size_of(field.type)) << of.ranks << " ranks";
  }
}

}  // namespace
}  // namespace weft::predict
