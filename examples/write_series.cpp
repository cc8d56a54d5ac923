// Writes a field on nodes, one on cells and one number a step, with the mesh, from any number of ranks:
//   mpirun -n 3 example_write_series bar.h5
//   mpirun -n 3 example_write_series bar.h5 shuffle+deflate:1    the field on nodes compressed
// A bar of 1,000 points in a line, 999 line cells; every rank owns a stretch of points and the cells that begin there.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>

#include "weft/mpi.hpp"

namespace {

constexpr std::uint64_t kPoints = 1000;
constexpr std::uint64_t kSteps = 50;

void write(const char* path, const char* filters) {
  weft::MpiCommunicator comm(MPI_COMM_WORLD);
  const auto mine = weft::partition::even_block(kPoints, comm.rank(), comm.size());

  weft::SeriesSpec spec;
  spec.steps = kSteps;
  spec.time_units = "ms";

  std::vector<double> coordinates;
  std::vector<std::uint8_t> cell_types;
  std::vector<std::int64_t> cell_sizes, connectivity;
  for (std::uint64_t i = mine.first; i < mine.first + mine.count; ++i) {
    coordinates.insert(coordinates.end(), {0.1 * static_cast<double>(i), 0.0, 0.0});
    if (i + 1 == kPoints) continue;
    cell_types.push_back(weft::cell_type::line);
    cell_sizes.push_back(2);
    connectivity.insert(connectivity.end(), {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i + 1)});
  }
  const std::uint64_t cells = cell_types.size();
  spec.mesh = weft::MeshSpec{.points = kPoints,
                             .owned = weft::partition::even_nodes({kPoints, 3}, comm.rank(), comm.size()),
                             .coordinates = coordinates,
                             .cell_types = cell_types,
                             .cell_sizes = cell_sizes,
                             .connectivity = connectivity};

  weft::FieldSpec heat{.name = "heat", .per_step = {kPoints}, .units = "K"};
  heat.owned = weft::partition::even_nodes({kPoints}, comm.rank(), comm.size());
  heat.filters = filters;
  weft::FieldSpec material{.name = "material", .type = weft::DataType::uint8, .support = weft::Support::cells};
  material.owned = weft::own_cells(comm, cells);
  material.per_step = material.owned.shape();
  weft::FieldSpec energy{.name = "energy", .support = weft::Support::global, .units = "J"};
  spec.fields = {heat, material, energy};

  auto writer = weft::create_series(MPI_COMM_WORLD, path, spec);
  std::vector<double> temperature(mine.count);
  const std::vector<std::uint8_t> kind(cells, 1);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    for (std::uint64_t i = 0; i < mine.count; ++i) {
      temperature[i] = std::sin(0.01 * static_cast<double>(mine.first + i) + 0.1 * static_cast<double>(step));
    }
    writer.put("heat", temperature);
    writer.put("material", kind);
    writer.put("energy", std::vector<double>{static_cast<double>(step)});
    writer.end_step(0.5 * static_cast<double>(step));
  }
  writer.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    write(argc > 1 ? argv[1] : "bar.h5", argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_write_series: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may be waiting for this one
  }
  MPI_Finalize();
}
