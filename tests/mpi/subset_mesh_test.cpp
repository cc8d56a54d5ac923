// The mesh of a field on listed nodes, which the ranks make together, is the one that a single process copies out of
// the whole mesh (view::cells_among).
#include "weft/series/subset_mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "weft/exchange/messages.hpp"
#include "weft/support/mpi_communicator.hpp"
#include "weft/view/submesh.hpp"

namespace weft::series {
namespace {

using testing::HasSubstr;

// Of lines, triangles, tetrahedra and empty cells at random, the same on every rank.
struct WholeMesh {
  std::vector<double> coordinates;
  view::Cells cells{{0}, {}, {}};

  WholeMesh(std::mt19937& random, std::uint64_t points, std::size_t count) {
    for (std::uint64_t i = 0; i < 3 * points; ++i) coordinates.push_back(static_cast<double>(random() % 1000) / 8);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t corners = random() % 9 == 0 ? 0 : 2 + random() % 3;  // none: VTK's empty cell
      const std::uint64_t near = random() % points;  // so that some cells lie wholly among listed nodes
      for (std::size_t i = 0; i < corners; ++i) {
        cells.connectivity.push_back(static_cast<std::int64_t>((near + random() % 4) % points));
      }
      cells.types.push_back(std::array<std::uint8_t, 5>{0, 1, 3, 5, 10}.at(corners));
      cells.offsets.push_back(static_cast<std::int64_t>(cells.connectivity.size()));
    }
  }
};

// A rank's part of the mesh: points dealt at random, with one of another rank's as a ghost; cells in blocks.
struct Part {
  std::vector<double> coordinates;
  std::vector<std::int64_t> sizes;
  MeshSpec spec;

  Part(const WholeMesh& whole, const std::vector<int>& holder, const std::vector<std::size_t>& cuts, int rank) {
    std::vector<std::uint64_t> ids;
    std::vector<std::uint8_t> ghost;
    for (std::uint64_t point = holder.size(); point-- > 0;) {  // backwards: places are not in the order of numbers
      const bool mine = holder[point] == rank;
      if (!mine && point % 5 != 0) continue;
      ids.push_back(point);
      ghost.push_back(mine ? 0 : 1);
      const auto at = whole.coordinates.begin() + static_cast<std::ptrdiff_t>(3 * point);
      coordinates.insert(coordinates.end(), at, at + 3);
      if (!mine) std::fill(coordinates.end() - 3, coordinates.end(), -1);
    }
    spec.points = holder.size();
    spec.owned = partition::Ownership::nodes({holder.size(), 3}, ids, ghost);
    spec.coordinates = coordinates;
    const std::size_t first = cuts[static_cast<std::size_t>(rank)];
    const std::size_t end = cuts[static_cast<std::size_t>(rank) + 1];
    const auto& offsets = whole.cells.offsets;
    for (std::size_t c = first; c < end; ++c) sizes.push_back(offsets[c + 1] - offsets[c]);
    spec.cell_types = std::span(whole.cells.types).subspan(first, end - first);
    spec.cell_sizes = sizes;
    const auto begin = static_cast<std::size_t>(offsets[first]);
    spec.connectivity =
        std::span(whole.cells.connectivity).subspan(begin, static_cast<std::size_t>(offsets[end]) - begin);
  }
};

std::vector<std::size_t> random_cuts(std::mt19937& random, std::size_t count, int ranks) {
  std::vector<std::size_t> cuts{0, count};
  for (int r = 1; r < ranks; ++r) cuts.push_back(random() % (count + 1));
  std::ranges::sort(cuts);
  return cuts;
}

// Rank `rank`'s rows of the list; all of them lie with the ranks that `row_holder` says.
FieldSpec field_on(const std::vector<std::int64_t>& nodes, const std::vector<int>& row_holder, int rank) {
  FieldSpec field{.name = "few", .per_step = {nodes.size(), 2}};
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t row = 0; row < nodes.size(); ++row) {
    if (row_holder[row] != rank) continue;
    rows.push_back(row);
    numbers.push_back(static_cast<std::uint64_t>(nodes[row]));
  }
  field.owned = partition::Ownership::nodes(field.per_step, rows);
  if (!rows.empty()) field.subset = numbers;
  return field;
}

template <typename T>
std::vector<T> gathered(Communicator& comm, const std::vector<T>& mine) {
  std::vector<std::byte> message;
  for (const T& value : mine) exchange::append(message, value);
  std::vector<T> all;
  for (const auto& one : comm.all_to_all(exchange::Messages(static_cast<std::size_t>(comm.size()), message))) {
    const std::vector<T> some = exchange::unpack<T>(one);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(SubsetMesh, IsTheOneThatASingleProcessCopies) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  std::mt19937 random(20261127);
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t points = 4 + random() % 120;
    const WholeMesh whole(random, points, random() % 200);
    std::vector<std::int64_t> nodes(points);
    std::iota(nodes.begin(), nodes.end(), 0);
    std::ranges::shuffle(nodes, random);
    nodes.resize(1 + random() % points);
    std::vector<int> holder(points);
    for (int& one : holder) one = static_cast<int>(random() % static_cast<unsigned>(comm.size()));
    std::vector<int> row_holder(nodes.size());
    for (int& one : row_holder) one = static_cast<int>(random() % static_cast<unsigned>(comm.size()));
    const auto cuts = random_cuts(random, whole.cells.types.size(), comm.size());
    const std::size_t at_once = 1 + random() % 50;

    const Part part(whole, holder, cuts, comm.rank());
    const SubsetMesh mine = subset_mesh(comm, field_on(nodes, row_holder, comm.rank()), part.spec, at_once);

    const view::Cells expected = view::cells_among(nodes, points, whole.cells);
    std::vector<std::int64_t> sizes;
    for (std::size_t c = 0; c < expected.types.size(); ++c) {
      sizes.push_back(expected.offsets[c + 1] - expected.offsets[c]);
    }
    EXPECT_EQ(gathered(comm, mine.connectivity), expected.connectivity) << "round " << round;
    EXPECT_EQ(gathered(comm, mine.cell_sizes), sizes) << "round " << round;
    EXPECT_EQ(gathered(comm, mine.cell_types), expected.types) << "round " << round;
    // Every row has the place of its node, once.
    struct Place {
      std::uint64_t at;  // of one coordinate
      double value;
    };
    std::vector<Place> places;
    for (const partition::Run& run : mine.spec.owned.runs()) {
      for (std::uint64_t i = 0; i < run.length; ++i)
        places.push_back({run.global + i, mine.coordinates[run.local + i]});
    }
    places = gathered(comm, places);
    ASSERT_EQ(places.size(), 3 * nodes.size());
    std::vector<double> coordinates(places.size(), -2);
    for (const Place& place : places) coordinates.at(place.at) = place.value;
    for (std::size_t row = 0; row < nodes.size(); ++row) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        ASSERT_EQ(coordinates[3 * row + axis], whole.coordinates[3 * static_cast<std::size_t>(nodes[row]) + axis]);
      }
    }
  }
}

TEST(SubsetMesh, RefusesNodesThatAreNotThereOrListedTwice) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  std::mt19937 random(1);
  const WholeMesh whole(random, 10, 20);
  const std::vector<int> holder(10, 0);
  const auto cuts = random_cuts(random, 20, comm.size());
  const Part part(whole, holder, cuts, comm.rank());
  const auto line = [&](const std::vector<std::int64_t>& nodes) {
    std::vector<int> row_holder(nodes.size());
    for (std::size_t row = 0; row < nodes.size(); ++row) row_holder[row] = static_cast<int>(row) % comm.size();
    try {
      (void)subset_mesh(comm, field_on(nodes, row_holder, comm.rank()), part.spec);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(line({3, 4, 5, 3}), HasSubstr("field few: node 3 is listed twice"));
  EXPECT_THAT(line({3, 10}), HasSubstr("field few: node 10 of a mesh of 10 is listed"));
  EXPECT_EQ(line({3, 9}), "no error");
}

}  // namespace
}  // namespace weft::series
