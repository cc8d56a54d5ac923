// A program on MPI ranks on an installed weft::mpi: writes a series and reads it.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "weft/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  {
    const weft::MpiCommunicator comm(MPI_COMM_WORLD);
    constexpr std::uint64_t kNodes = 301;
    weft::SeriesSpec spec;
    spec.steps = 20;
    weft::FieldSpec field{.name = "V", .per_step = {kNodes}};
    field.owned = weft::partition::even_nodes({kNodes}, comm.rank(), comm.size());
    spec.fields = {field};
    auto writer = weft::create_series(MPI_COMM_WORLD, "mpi.h5", spec);
    std::vector<double> v(field.owned.local_elements());
    for (int step = 0; step < 20; ++step) {
      v.assign(v.size(), step + comm.rank());
      writer.put("V", v);
      writer.end_step(step);
    }
    writer.close();
    const weft::SeriesReader reader = weft::SeriesReader::open("mpi.h5");
    right = comm.size() == 2 && reader.trace<double>("V", 0).back() == 19 &&
            reader.trace<double>("V", kNodes - 1).back() == 20;
    if (comm.rank() == 0) std::printf("%d ranks, %s\n", comm.size(), right ? "right" : "wrong");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
