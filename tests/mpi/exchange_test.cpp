// The plan that ranks build together, each knowing its own part, is the one partition::plan_moves computes from all
// parts; and what a window gathers by it is the step's array, tile for tile.
#include "weft/exchange/plan_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "weft/exchange/window.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft {
namespace {

using partition::MovePlan;
using partition::OwnerRule;
using partition::Ownership;
using partition::TileGrid;
using partition::Writers;

// Random, but the same on every rank: each rank makes the ownerships of all.
class Dealer {
 public:
  Dealer(unsigned seed, int ranks) : random_(seed), ranks_(ranks) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  // Random cuts of axis 0; where cuts coincide a rank has nothing.
  std::vector<Ownership> slabs(const Shape& shape) {
    std::vector<std::uint64_t> cuts{0, shape[0]};
    for (int r = 1; r < ranks_; ++r) cuts.push_back(below(shape[0] + 1));
    std::sort(cuts.begin(), cuts.end());
    std::vector<Ownership> all;
    for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
      Box box = whole(shape);
      box.start[0] = cuts[r];
      box.count[0] = cuts[r + 1] - cuts[r];
      all.push_back(Ownership::box(shape, box));
    }
    return all;
  }

  // A slab each, held with a row of ghosts on either side.
  std::vector<Ownership> slabs_with_ghosts(const Shape& shape) const {
    std::vector<Ownership> all;
    for (int r = 0; r < ranks_; ++r) {
      const partition::Block block = partition::even_block(shape[0], r, ranks_);
      Box owned = whole(shape);
      owned.start[0] = block.first;
      owned.count[0] = block.count;
      Box held = owned;
      if (block.count > 0) {
        held.start[0] -= block.first > 0 ? 1 : 0;
        held.count[0] = std::min(shape[0], block.first + block.count + 1) - held.start[0];
      }
      all.push_back(Ownership::box_with_ghosts(shape, held, owned));
    }
    return all;
  }

  // Every row of axis 0, cut in two along the last axis where there are two, goes to any rank: lists of small boxes.
  std::vector<Ownership> lists_of_boxes(const Shape& shape) {
    std::vector<std::vector<Box>> boxes(static_cast<std::size_t>(ranks_));
    const std::size_t last = shape.size() - 1;
    for (std::uint64_t row = 0; row < shape[0]; ++row) {
      Box box = whole(shape);
      box.start[0] = row;
      box.count[0] = 1;
      const std::uint64_t cut = last > 0 ? below(shape[last] + 1) : 0;
      Box rest = box;
      if (cut > 0) {
        box.count[last] = cut;
        rest.start[last] = cut;
        rest.count[last] = shape[last] - cut;
        boxes[below(boxes.size())].push_back(box);
      }
      boxes[below(boxes.size())].push_back(rest);
    }
    std::vector<Ownership> all;
    all.reserve(boxes.size());
    for (const auto& list : boxes) all.push_back(Ownership::boxes(shape, list));
    return all;
  }

  // Node ids in random order; some nodes are ghosts on a second rank. The last rank has nothing of its own.
  std::vector<Ownership> scattered(const Shape& shape) {
    std::vector<std::vector<std::uint64_t>> ids(static_cast<std::size_t>(ranks_));
    std::vector<std::vector<std::uint8_t>> ghost(ids.size());
    std::vector<std::uint64_t> nodes(shape[0]);
    std::iota(nodes.begin(), nodes.end(), 0);
    std::shuffle(nodes.begin(), nodes.end(), random_);
    const std::uint64_t owning = ids.size() > 1 ? ids.size() - 1 : 1;
    for (const std::uint64_t node : nodes) {
      const std::uint64_t owner = below(owning);
      ids[owner].push_back(node);
      ghost[owner].push_back(0);
      const std::uint64_t other = below(ids.size());
      if (other != owner && below(3) == 0) {
        ids[other].push_back(node);
        ghost[other].push_back(1);
      }
    }
    std::vector<Ownership> all;
    for (std::size_t r = 0; r < ids.size(); ++r) all.push_back(Ownership::nodes(shape, ids[r], ghost[r]));
    return all;
  }

  std::vector<Ownership> one_has_all(const Shape& shape) {
    const auto holder = static_cast<int>(below(static_cast<std::uint64_t>(ranks_)));
    std::vector<Ownership> all;
    all.reserve(static_cast<std::size_t>(ranks_));
    for (int r = 0; r < ranks_; ++r) all.push_back(r == holder ? Ownership::all(shape) : Ownership::none(shape));
    return all;
  }

  std::vector<std::vector<Ownership>> every_kind(const Shape& shape) {
    return {slabs(shape), slabs_with_ghosts(shape), lists_of_boxes(shape), scattered(shape), one_has_all(shape)};
  }

 private:
  std::mt19937_64 random_;
  int ranks_;
};

const std::vector<Shape> kShapes{{1}, {13}, {101}, {97, 2}, {9, 7, 5}, {31, 3, 3}};

std::uint64_t value_at(std::uint64_t step, std::uint64_t global) { return 1'000'000 * (step + 1) + global; }

// Gathers three steps of a field by `plan` and compares every tile with the array it was cut from.
void expect_gathered(Communicator& comm, const TileGrid& grid, const Ownership& mine, const MovePlan& plan) {
  constexpr std::uint64_t kSteps = 3;
  exchange::WindowShape shape;
  shape.plan = std::make_shared<const MovePlan>(plan);
  shape.element_bytes = sizeof(std::uint64_t);
  shape.tile_bytes = grid.tile_elements() * shape.element_bytes;
  shape.steps = kSteps + 1;  // more room than is used: deliver() is told how much counts
  exchange::Mail mail(shape);
  const exchange::TileMemory tiles(shape);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    std::vector<std::uint64_t> local(mine.local_elements(), ~0ULL);  // what stays so is a ghost
    for (const partition::Run& run : mine.runs()) {
      for (std::uint64_t i = 0; i < run.length; ++i) local[run.local + i] = value_at(step, run.global + i);
    }
    mail.put(step, std::as_bytes(std::span(local)), tiles);
  }
  mail.deliver(comm, kSteps, tiles);
  for (std::uint64_t slot = 0; slot < plan.tiles.size(); ++slot) {
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const std::span<std::byte> bytes = tiles.steps_of(slot, step, 1);
      for (std::uint64_t offset = 0; offset < grid.tile_elements(); ++offset) {
        std::uint64_t got = 0;
        std::memcpy(&got, bytes.data() + offset * sizeof got, sizeof got);
        const std::uint64_t tile = plan.tiles[slot];
        const bool padding = grid.is_padding(tile, offset);
        ASSERT_EQ(got, padding ? 0 : value_at(step, grid.global_of(tile, offset)))
            << "tile " << tile << ", step " << step << ", offset " << offset;
      }
    }
  }
}

class ExchangeTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ExchangeTest, RanksBuildThePlanOfThePlainReference) {
  MpiCommunicator comm(MPI_COMM_WORLD, GetParam());
  const auto rank = static_cast<std::size_t>(comm.rank());
  for (unsigned seed = 0; seed < 4; ++seed) {
    Dealer dealer(seed, comm.size());
    for (const Shape& shape : kShapes) {
      Shape tile;
      for (const std::uint64_t extent : shape) tile.push_back(1 + dealer.below(extent));
      const TileGrid grid(shape, tile);
      int kind = 0;
      for (const std::vector<Ownership>& all : dealer.every_kind(shape)) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", shape " << to_string(shape) << ", tile "
                                        << to_string(tile) << ", ownership of kind " << kind++);
        // All ranks write, or some: of nodes of three ranks, say.
        std::vector<std::uint64_t> nodes;
        for (int r = 0; r < comm.size(); ++r) nodes.push_back(static_cast<std::uint64_t>(r) / (1 + seed));
        const auto some = 1 + dealer.below(static_cast<std::uint64_t>(comm.size()));
        const Writers writers = kind % 3 == 0   ? Writers(comm.size())
                                : kind % 3 == 1 ? Writers(nodes, {.per_node = some, .in_all = 0})
                                                : Writers(nodes, {.per_node = 0, .in_all = some});
        const MovePlan plan = exchange::build_plan(comm, grid, all[rank], writers, OwnerRule::majority, "f");
        const bool same = plan == partition::plan_moves(grid, all, writers)[rank];
        const bool writes = std::ranges::find(writers.all(), comm.rank()) != writers.all().end();
        EXPECT_TRUE(writes || plan.tiles.empty());
        EXPECT_TRUE(same);
        expect_gathered(comm, grid, all[rank], plan);
      }
    }
  }
}

TEST_P(ExchangeTest, InOrderEveryRankGetsItsSlab) {
  MpiCommunicator comm(MPI_COMM_WORLD, GetParam());
  const auto rank = static_cast<std::size_t>(comm.rank());
  Dealer dealer(42, comm.size());
  for (const Shape& shape : kShapes) {
    Shape slab = shape;
    slab[0] = ceil_div(shape[0], static_cast<std::uint64_t>(comm.size()));
    const TileGrid grid(shape, slab);
    for (const std::vector<Ownership>& all : dealer.every_kind(shape)) {
      const MovePlan plan = exchange::build_plan(comm, grid, all[rank], Writers(comm.size()), OwnerRule::in_order, "f");
      const bool same = plan == partition::plan_moves(grid, all, Writers(comm.size()), OwnerRule::in_order)[rank];
      EXPECT_TRUE(same);
      EXPECT_EQ(plan.tiles, rank < grid.tiles() ? std::vector<std::uint64_t>{rank} : std::vector<std::uint64_t>{});
      expect_gathered(comm, grid, all[rank], plan);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CountLimits, ExchangeTest, testing::Values(0x7fffffffU, 1000U, 7U));

// What this rank is told where a plan cannot be made; all ranks must be told the same, and that it is agreed.
std::string agreed_line(Communicator& comm, const TileGrid& grid, const Ownership& mine) {
  try {
    exchange::build_plan(comm, grid, mine, Writers(comm.size()), OwnerRule::majority, "heart");
  } catch (const Error& error) {
    EXPECT_TRUE(error.is_agreed());
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(ExchangeErrors, AnElementWithoutAnOwnerIsToldToAllRanks) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  const Shape shape{53, 2};
  for (const std::uint64_t hole : {0U, 17U, 52U}) {
    std::vector<std::uint64_t> ids;
    for (auto n = static_cast<std::uint64_t>(comm.rank()); n < 53; n += static_cast<std::uint64_t>(comm.size())) {
      if (n != hole) ids.push_back(n);
    }
    const std::string line = agreed_line(comm, TileGrid(shape, {5, 2}), Ownership::nodes(shape, ids));
    EXPECT_NE(line.find("field heart: element " + std::to_string(2 * hole) + " of a step is owned by no rank"),
              std::string::npos)
        << line;
  }
}

TEST(ExchangeErrors, AnElementWithTwoOwnersIsToldToAllRanks) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "a rank cannot name an element twice";
  const Shape shape{53, 2};
  for (const std::uint64_t twice : {0U, 26U, 52U}) {
    std::vector<std::uint64_t> ids;
    const auto ranks = static_cast<std::uint64_t>(comm.size());
    const auto rank = static_cast<std::uint64_t>(comm.rank());
    for (std::uint64_t n = 0; n < 53; ++n) {
      if (n % ranks == rank || (n == twice && (n + 1) % ranks == rank)) ids.push_back(n);
    }
    const std::string line = agreed_line(comm, TileGrid(shape, {5, 2}), Ownership::nodes(shape, ids));
    EXPECT_NE(line.find("element " + std::to_string(2 * twice) + " of a step is owned by two ranks"), std::string::npos)
        << line;
  }
}

TEST(ExchangeErrors, NobodyHoldsAnything) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  const std::string line = agreed_line(comm, TileGrid({7}, {2}), Ownership::none({7}));
  EXPECT_NE(line.find("element 0 of a step is owned by no rank"), std::string::npos) << line;
}

}  // namespace
}  // namespace weft
