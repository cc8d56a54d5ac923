#include "with/mpi/ranks_of_file.hpp"

#include <mpi.h>

namespace {

bool has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

}  // namespace

void* weft_with_ranks_of(void* get_fapl_mpio, std::int64_t access_list) {
  using Get = int (*)(std::int64_t, MPI_Comm*, MPI_Info*);
  // HDF5 gives copies of both, which are the caller's to free.
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (reinterpret_cast<Get>(get_fapl_mpio)(access_list, &communicator, &info) < 0) return nullptr;
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (communicator == MPI_COMM_NULL) return nullptr;
  return new MPI_Comm(communicator);
}

void weft_with_greatest(void* ranks, std::int64_t* values, int count) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, *static_cast<MPI_Comm*>(ranks));
}

void weft_with_free_ranks(void* ranks) {
  auto* communicator = static_cast<MPI_Comm*>(ranks);
  if (!has_ended()) MPI_Comm_free(communicator);
  delete communicator;
}
