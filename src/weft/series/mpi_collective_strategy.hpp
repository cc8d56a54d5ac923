// weft/series/mpi_collective_strategy.hpp - the papers' ways: collective writes through parallel HDF5 (target
// weft::mpi).
//
// What Weft's own strategy is measured against, on the same file. `per-step` writes every step in one collective call
// for each field; `cached` (paper 1, "Cached write mode") gathers the steps of a chunk first, so its memory is a
// chunk's steps times the rank's nodes, whatever the budget says. Both keep the file open in HDF5 while they run: a
// kill may leave it unreadable.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "weft/series/write_strategy.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::series {

struct CollectiveOptions {
  bool cached = false;
  std::map<std::string, std::string> hints;  // MPI-IO hints: cb_nodes, striping_unit, ...
  // A rank gives no more than this to one collective call; a larger write is several. MPI-IO implementations keep byte
  // counts of a call in an int here and there, so the default stays well below 2 GiB.
  std::uint64_t call_limit_bytes = 1ULL << 30;
};

// `comm` must be the communicator the series is created on.
StrategyFactory make_collective_strategy(std::shared_ptr<MpiCommunicator> comm, CollectiveOptions options);

}  // namespace weft::series
