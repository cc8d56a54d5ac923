// with/mpi/ranks_of_file.hpp - what libweft-with-openmpi.so and libweft-with-mpich.so have.
#pragma once

#include <cstdint>

extern "C" {
// The ranks of the communicator in a list of file access; `get_fapl_mpio` is H5Pget_fapl_mpio() of the program's HDF5.
// Collective. Null where the list has none.
void* weft_with_ranks_of(void* get_fapl_mpio, std::int64_t access_list);
// Each value becomes the largest that any rank has. Collective.
void weft_with_greatest(void* ranks, std::int64_t* values, int count);
// Collective, as MPI_Comm_free() is; after MPI_Finalize() it does nothing.
void weft_with_free_ranks(void* ranks);
}
