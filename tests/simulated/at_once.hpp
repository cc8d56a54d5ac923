// tests/simulated/at_once.hpp - included before all else, on simulated ranks alone.
//
// Weft's communicator asks MPI again and again whether messages are there, and sleeps in between. On simulated ranks
// each question is an event of the simulation; and SMPI's MPI_Iallreduce sends from every rank to every other. Here
// both wait at once, for the same messages.
#pragma once

#include <mpi.h>

inline int weft_test_until_done(int count, MPI_Request* requests, int* done, MPI_Status* statuses) {
  *done = 1;
  return MPI_Waitall(count, requests, statuses);
}

inline int weft_allreduce_at_once(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                  MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(in, out, count, type, op, comm);
}

inline int weft_exscan_at_once(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                               MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Exscan(in, out, count, type, op, comm);
}

#undef MPI_Testall
#define MPI_Testall weft_test_until_done
#undef MPI_Iallreduce
#define MPI_Iallreduce weft_allreduce_at_once
#undef MPI_Iexscan
#define MPI_Iexscan weft_exscan_at_once
