// A program on MPI ranks on an installed weft::mpi.
#include <mpi.h>

#include <cstdio>

#include "weft/support/shape.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool right = ranks == 2 && weft::element_count({2, 3}) == 6;
  std::printf("%d ranks\n", ranks);
  MPI_Finalize();
  return right ? 0 : 1;
}
