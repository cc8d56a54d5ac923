#include "weft/series/fixed_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "weft/exchange/plan_builder.hpp"
#include "weft/exchange/window.hpp"
#include "weft/series/file_plan.hpp"

namespace weft::series {

namespace {

void check_mesh(const MeshSpec& mesh) {
  const auto bad = [](const std::string& what, std::string_view remedy) {
    return Error(ErrorKind::usage, "mesh", what, remedy);
  };
  if (mesh.points == 0) throw bad("no points", "give a mesh at least one, or leave it out");
  if (mesh.owned.shape() != Shape{mesh.points, 3}) {
    throw bad(fmt::format("an ownership of {} for {} points", to_string(mesh.owned.shape()), mesh.points),
              "make it for an array of (points, 3)");
  }
  if (mesh.coordinates.size() != mesh.owned.local_elements()) {
    throw bad(fmt::format("{} coordinates for {} values owned", mesh.coordinates.size(), mesh.owned.local_elements()),
              "give x, y and z of every point of the ownership, ghosts included");
  }
  if (mesh.cell_types.size() != mesh.cell_sizes.size()) {
    throw bad(fmt::format("{} cell types for {} cells", mesh.cell_types.size(), mesh.cell_sizes.size()),
              "give one VTK cell type for each cell");
  }
  const auto points = std::accumulate(mesh.cell_sizes.begin(), mesh.cell_sizes.end(), std::int64_t{0});
  if (static_cast<std::uint64_t>(points) != mesh.connectivity.size()) {
    throw bad(fmt::format("cells of {} points in all, and {} point numbers", points, mesh.connectivity.size()),
              "let the cell sizes add up to the connectivity");
  }
  for (const std::int64_t point : mesh.connectivity) {
    if (point < 0 || static_cast<std::uint64_t>(point) >= mesh.points) {
      throw bad(fmt::format("a cell has point {} of {}", point, mesh.points),
                "points are numbered from 0 over all ranks");
    }
  }
}

// `count` things of this rank behind those of the ranks before it.
partition::Ownership behind_others(Communicator& comm, std::uint64_t count, std::uint64_t total) {
  return partition::Ownership::box({total}, Box{{comm.sum_before(count)}, {count}});
}

}  // namespace

std::vector<FixedArray> mesh_arrays(Communicator& comm, const MeshSpec& mesh, const std::string& folder) {
  agree_on(comm, [&] { check_mesh(mesh); });
  std::vector<FixedArray> arrays;
  arrays.push_back({{folder + "/points", DataType::float64, {mesh.points, 3}, {}},
                    mesh.owned,
                    std::as_bytes(std::span(mesh.coordinates))});
  const std::uint64_t cells = comm.sum(mesh.cell_types.size());
  const std::uint64_t corners = comm.sum(mesh.connectivity.size());
  if (cells == 0 || corners == 0) return arrays;
  arrays.push_back({{folder + "/types", DataType::uint8, {cells}, {}},
                    behind_others(comm, mesh.cell_types.size(), cells),
                    std::as_bytes(std::span(mesh.cell_types))});
  arrays.push_back({{folder + "/connectivity", DataType::int64, {corners}, {}},
                    behind_others(comm, mesh.connectivity.size(), corners),
                    std::as_bytes(std::span(mesh.connectivity))});
  // offsets[i] is where cell i begins; the last rank also gives the end, so that there is one more than cells.
  const std::uint64_t mine = mesh.cell_sizes.size() + (comm.rank() == comm.size() - 1 ? 1 : 0);
  arrays.push_back({{folder + "/offsets", DataType::int64, {cells + 1}, {}},
                    behind_others(comm, mine, cells + 1),
                    {},
                    static_cast<std::int64_t>(comm.sum_before(mesh.connectivity.size())),
                    mesh.cell_sizes});
  return arrays;
}

namespace {

// Whether the ranks hold the array in consecutive slabs, in rank order, each as one piece. Collective.
bool in_slabs(Communicator& comm, const FixedArray& array) {
  const auto& box = array.owned.as_box();
  const std::uint64_t elements = array.owned.owned_elements();
  const std::uint64_t before = comm.sum_before(elements);
  const auto& runs = array.owned.runs();
  const bool mine = box && (runs.empty() || (runs.size() == 1 && runs[0].local == 0 && runs[0].global == before));
  const std::uint64_t all = comm.sum(elements);
  return comm.min(mine ? 1 : 0) == 1 && all == element_count(array.plan.shape);
}

// One slab a rank, put together by an exchange.
void write_exchanged(Communicator& comm, storage::ByteStore& store, const storage::ArrayEntry& catalog,
                     const FixedArray& array) {
  Shape slab = array.plan.shape;
  slab[0] = ceil_div(slab[0], static_cast<std::uint64_t>(comm.size()));
  const partition::TileGrid grid(array.plan.shape, slab);
  exchange::WindowShape shape;
  shape.plan = std::make_shared<const partition::MovePlan>(exchange::build_plan(
      comm, grid, array.owned, partition::Writers(comm.size()), partition::OwnerRule::in_order, array.plan.path));
  shape.element_bytes = size_of(array.plan.type);
  shape.tile_bytes = grid.tile_elements() * shape.element_bytes;
  shape.steps = 1;
  exchange::Mail mail(shape);
  const exchange::TileMemory tiles(shape);
  mail.put(0, array.local, tiles);
  mail.deliver(comm, 1, tiles);
  agree_on(comm, [&] {
    if (shape.plan->tiles.empty()) return;
    const std::uint64_t tile = shape.plan->tiles[0];
    const storage::Bytes bytes = tiles.steps_of(0, 0, 1).first(grid.valid_elements(tile) * shape.element_bytes);
    store.write_at(catalog.address() + tile * shape.tile_bytes, bytes);
  });
}

// Running sums at an address, a few at a time.
void write_sums(storage::ByteStore& store, std::uint64_t address, const FixedArray& array) {
  constexpr std::uint64_t kAtOnce = 1U << 17U;
  std::vector<std::int64_t> piece;
  std::int64_t sum = *array.first_sum;
  const std::uint64_t entries = array.owned.owned_elements();
  for (std::uint64_t first = 0; first < entries; first += piece.size()) {
    piece.resize(std::min(kAtOnce, entries - first));
    for (std::uint64_t i = 0; i < piece.size(); ++i) {
      piece[i] = sum;
      if (first + i < array.distances.size()) sum += array.distances[first + i];
    }
    store.write_at(address + first * sizeof(std::int64_t), std::as_bytes(std::span(piece)));
  }
}

}  // namespace

FixedArray subset_array(const FieldSpec& field) {
  // One number for each row of the field: the ownership of {k, 2} becomes that of {k}.
  const std::uint64_t row = row_elements(field.per_step);
  std::vector<std::uint64_t> ids;
  std::vector<std::uint8_t> ghost(field.owned.local_elements() / row, 1);
  ids.assign(ghost.size(), 0);
  for (const partition::Run& run : field.owned.runs()) {
    for (std::uint64_t i = 0; i < run.length / row; ++i) {
      ids[run.local / row + i] = run.global / row + i;
      ghost[run.local / row + i] = 0;
    }
  }
  const Shape rows{field.per_step.at(0)};
  return {{"/weft/subsets/" + field.name, DataType::int64, rows, {}},
          partition::Ownership::nodes(rows, ids, ghost),
          field.subset ? std::as_bytes(std::span(*field.subset)) : std::span<const std::byte>{}};
}

void write_fixed_array(Communicator& comm, storage::ByteStore& store, const storage::ArrayEntry& catalog,
                       const FixedArray& array) {
  if (!in_slabs(comm, array)) return write_exchanged(comm, store, catalog, array);
  agree_on(comm, [&] {  // as it lies, without a copy: a mesh may be as large as all the memory Weft was given
    const auto& runs = array.owned.runs();
    if (runs.empty()) return;
    const std::uint64_t address = catalog.address() + runs[0].global * size_of(array.plan.type);
    if (array.first_sum) return write_sums(store, address, array);
    store.write_at(address, array.local);
  });
}

}  // namespace weft::series
