// Goes back to step 30 of what example_write_series wrote and writes the rest anew: mpirun -n 2 example_restart bar.h5
// The number of ranks need not be the one the file was made by.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "weft/mpi.hpp"

namespace {

constexpr std::uint64_t kPoints = 1000;
constexpr std::uint64_t kSteps = 50;

void go_on(const char* path) {
  weft::MpiCommunicator comm(MPI_COMM_WORLD);
  const auto points = weft::partition::even_nodes({kPoints}, comm.rank(), comm.size());
  const auto cells = weft::partition::even_nodes({kPoints - 1}, comm.rank(), comm.size());

  weft::AppendSpec spec;
  spec.owned = {{"heat", points}, {"material", cells}};
  spec.from_step = 30;
  auto writer = weft::append_series(MPI_COMM_WORLD, path, spec);
  while (writer.next_step() < kSteps) {
    const auto step = static_cast<double>(writer.next_step());
    writer.put("heat", std::vector<double>(points.local_elements(), 300.0));
    writer.put("material", std::vector<std::uint8_t>(cells.local_elements(), 2));
    writer.put("energy", std::vector<double>{step});
    writer.end_step(0.5 * step);
  }
  writer.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    go_on(argc > 1 ? argv[1] : "bar.h5");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_restart: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
