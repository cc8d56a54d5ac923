// predict/layers.hpp - what libraries cost on a store beyond the requests they make there: MPI-IO, HDF5, a series.
//
// Small runs of the kernels, from one rank and from all. Of two runs that differ in nothing but how often a call is
// made, the difference is the call's; the request that it leads to, as the profile has it, is taken off.
//
//   mpi start, hdf5 start  the first file of a run: libraries set themselves up
//   mpi open               opening and closing a file together
//   mpi round              a collective write
//   mpi MiB                a MiB of it, of each rank
//   mpi write              a write of one rank's own
//   mpi piece              a part of a write that lies apart in the file
//   mpi value in memory    a value that lies apart in memory
//   mpi value together     such a value in a collective write
//   mpi type of a value    a value that a type tells of
//   hdf5 create            making and closing a parallel file
//   hdf5 step, hdf5 MiB    a collective H5Dwrite, and a MiB of it
//   message                one between ranks of a node, of no bytes
//   text value             a value that printf writes
//   series start           a process's first series, once HDF5 has set itself up
//   series create, close   Weft's own file, of one field
//   series sync            its syncs when it is made and closed, of next to no data
//   series field           each further field, and its close
//   series mesh            the datasets of a mesh, of next to no nodes
//   series MiB             a MiB on its way through new windows
//   series window          to give one to the thread that writes it, and to wait for the one before
//   series step MiB        a MiB of a step that all ranks write together (per-step)
//   series open            such a file whose steps HDF5 writes
//   series step            one of those steps
//   series piece           a part of it that lies apart in the file
#pragma once

#include <functional>
#include <string>

#include "stores/store_profile.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::predict {

// Adds these calls, and the rates of predict/rates.hpp, to a profile whose requests are measured. `folder`: one that
// is removed by whoever made it. `seconds`: what is asked of the probe; little makes fewer runs. The
// profile is the same on all ranks before and afterwards. Collective; throws agreed errors.
void measure_layers(MpiCommunicator& comm, const std::string& folder, double seconds,
                    const std::function<bool()>& interrupted, stores::StoreProfile& profile);

}  // namespace weft::predict
