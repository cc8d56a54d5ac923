// Writes small series that have every kind of thing a viewer must show: write_cases CASE FILE, on any number of ranks.
//   mesh       cells of eight types in turn; fields on nodes (number, vector), on cells, on the first nodes, on listed
//              nodes, and global ones; rank 0 of several owns nothing
//   globals    the same mesh with global fields alone
//   grid       a regular grid of 5 x 4 x 3 nodes: a number and a vector, and maps of the number's rise over -30 and
//   most flat-grid  5 x 4 nodes
// Element e (of nodes or cells), component c, step s has 1000 s + e + c / 4; step s is at time 0.5 s.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "weft/reduce/run_reduction.hpp"
#include "weft/series/mpi_series.hpp"

namespace {

using weft::FieldSpec;
using weft::partition::Ownership;

constexpr std::uint64_t kSteps = 7;

struct Share {
  std::uint64_t first;
  std::uint64_t count;
};

// Rank 0 of several has nothing.
Share share(std::uint64_t things, int rank, int ranks) {
  if (ranks == 1) return {0, things};
  if (rank == 0) return {0, 0};
  const auto block = weft::partition::even_block(things, rank - 1, ranks - 1);
  return {block.first, block.count};
}

Ownership owned(const weft::Shape& per_step, Share share) {
  weft::Box box = weft::whole(per_step);
  box.start[0] = share.first;
  box.count[0] = share.count;
  return Ownership::box(per_step, box);
}

template <typename T>
std::vector<T> values(const Ownership& ownership, std::uint64_t step) {
  std::vector<T> result(ownership.local_elements());
  std::uint64_t row = 1;
  for (std::size_t i = 1; i < ownership.shape().size(); ++i) row *= ownership.shape()[i];
  for (const weft::partition::Run& run : ownership.runs()) {
    for (std::uint64_t i = 0; i < run.length; ++i) {
      const std::uint64_t at = run.global + i;
      const std::uint64_t node = at / row;
      const double value =
          1000.0 * static_cast<double>(step) + static_cast<double>(node) + 0.25 * static_cast<double>(at % row);
      result[run.local + i] = static_cast<T>(value);
    }
  }
  return result;
}

// What a MeshSpec refers to.
struct MeshArrays {
  std::vector<double> coordinates{};
  std::vector<std::uint8_t> cell_types{};
  std::vector<std::int64_t> cell_sizes{};
  std::vector<std::int64_t> connectivity{};
};

MeshArrays mesh_arrays(std::uint64_t points, Share mine, Share my_cells) {
  struct Kind {
    std::uint8_t type;
    std::int64_t corners;
  };
  constexpr std::array<Kind, 8> kinds{{{12, 8}, {13, 6}, {14, 5}, {10, 4}, {9, 4}, {5, 3}, {3, 2}, {1, 1}}};
  MeshArrays mesh;
  for (std::uint64_t n = mine.first; n < mine.first + mine.count; ++n) {
    const std::uint64_t x = n % 4, y = n / 4 % 4, z = n / 16;
    mesh.coordinates.insert(mesh.coordinates.end(),
                            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  }
  for (std::uint64_t c = my_cells.first; c < my_cells.first + my_cells.count; ++c) {
    const Kind kind = kinds[c % kinds.size()];
    mesh.cell_types.push_back(kind.type);
    mesh.cell_sizes.push_back(kind.corners);
    for (std::int64_t i = 0; i < kind.corners; ++i) {
      mesh.connectivity.push_back((static_cast<std::int64_t>(c) + i) % static_cast<std::int64_t>(points));
    }
  }
  return mesh;
}

void write_mesh(const char* path, int rank, int ranks, bool globals_alone) {
  const std::uint64_t points = 48;
  const std::uint64_t cells = 40;
  const Share mine = share(points, rank, ranks);
  const Share my_cells = share(cells, rank, ranks);
  weft::SeriesSpec spec;
  spec.steps = kSteps;
  spec.time_units = "s";
  const MeshArrays mesh = mesh_arrays(points, mine, my_cells);
  spec.mesh = weft::MeshSpec{points,          owned({points, 3}, mine), mesh.coordinates,
                             mesh.cell_types, mesh.cell_sizes,          mesh.connectivity};

  FieldSpec number{.name = "number", .per_step = {points}, .units = "mV", .owned = owned({points}, mine)};
  FieldSpec vector{.name = "vector", .type = weft::DataType::float32, .per_step = {points, 3}};
  vector.owned = owned({points, 3}, mine);
  FieldSpec pair{.name = "pair", .per_step = {points, 2}, .components = {"left", "right"}};
  pair.owned = owned({points, 2}, mine);
  FieldSpec on_cells{.name = "on cells", .type = weft::DataType::int32, .per_step = {cells}};
  on_cells.support = weft::Support::cells;
  on_cells.owned = owned({cells}, my_cells);
  FieldSpec energy{.name = "energy", .support = weft::Support::global};
  FieldSpec budget{.name = "budget", .per_step = {4}, .support = weft::Support::global};

  FieldSpec front{.name = "front", .per_step = {10}};
  const Share my_front = share(10, rank, ranks);
  front.owned = owned({10}, my_front);
  front.subset.emplace();
  for (std::uint64_t i = my_front.first; i < my_front.first + my_front.count; ++i) front.subset->push_back(i);
  FieldSpec listed{.name = "listed", .type = weft::DataType::int64, .per_step = {12}};
  const Share my_listed = share(12, rank, ranks);
  listed.owned = owned({12}, my_listed);
  listed.subset.emplace();
  for (std::uint64_t i = my_listed.first; i < my_listed.first + my_listed.count; ++i) listed.subset->push_back(5 + i);
  spec.fields = {energy, budget};
  if (!globals_alone) spec.fields = {number, vector, pair, on_cells, energy, budget, front, listed};

  auto writer = weft::create_series(MPI_COMM_WORLD, path, spec);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    writer.put("energy", values<double>(Ownership::all({}), step));
    writer.put("budget", values<double>(Ownership::all({4}), step));
    if (!globals_alone) {
      writer.put("number", values<double>(number.owned, step));
      writer.put("vector", values<float>(vector.owned, step));
      writer.put("pair", values<double>(pair.owned, step));
      writer.put("on cells", values<std::int32_t>(on_cells.owned, step));
      writer.put("front", values<double>(front.owned, step));
      writer.put("listed", values<std::int64_t>(listed.owned, step));
    }
    writer.end_step(0.5 * static_cast<double>(step));
  }
  writer.close();
}

void write_grid(const char* path, const weft::Shape& shape, int rank, int ranks) {
  weft::SeriesSpec spec;
  spec.steps = kSteps;
  spec.grid = {shape, {1, 2, 3}, {0.1, 0.2, 0.3}};
  const Share mine = share(shape[0], rank, ranks);
  FieldSpec number{.name = "number", .type = weft::DataType::float32, .per_step = shape, .owned = owned(shape, mine)};
  weft::Shape with_components = shape;
  with_components.push_back(3);
  FieldSpec vector{.name = "vector", .per_step = with_components, .owned = owned(with_components, mine)};
  spec.fields = {number, vector};
  spec.observers.push_back(std::make_shared<weft::reduce::RunReduction>(
      weft::reduce::RunReductionSpec{.field = "number",
                                     .quantities = weft::reduce::parse_quantities("max,first_crossing"),
                                     .settings = {.threshold = 1005.5}}));
  auto writer = weft::create_series(MPI_COMM_WORLD, path, spec);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    writer.put("number", values<float>(number.owned, step));
    writer.put("vector", values<double>(vector.owned, step));
    writer.end_step(0.5 * static_cast<double>(step));
  }
  writer.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const std::string name = argc == 3 ? argv[1] : "";
    if (name == "mesh" || name == "globals") write_mesh(argv[2], rank, ranks, name == "globals");
    if (name == "grid") write_grid(argv[2], {3, 4, 5}, rank, ranks);
    if (name == "flat-grid") write_grid(argv[2], {4, 5}, rank, ranks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_cases: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
