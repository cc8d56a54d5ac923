// kernels/io/kernel_plan.hpp - what a kernel's run will do, said before anything is done: pure, printable, for any
// number of ranks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/io/calls.hpp"

namespace weft::kernels {

struct KernelPlan {
  std::string kernel;
  std::string strategy;
  std::uint64_t ranks = 1;
  std::uint64_t files = 0;       // that the output phases leave
  std::uint64_t file_bytes = 0;  // of all of them together, padding included
  Calls app;                     // the application's own calls, of all ranks: stdio's, MPI-IO's, or puts into a series
  Calls mpi;                     // those of them that are MPI-IO's
  std::uint64_t min_bytes = 0;   // that a rank writes
  std::uint64_t max_bytes = 0;
  bool sizes_known = true;         // else a run is held to opens, closes and seeks alone: sizes of writes are estimates
  nlohmann::ordered_json facts;    // the kernel's own: io_grid, lines_min, ...
  std::vector<std::string> about;  // the same for people, a line each
};

// kernel, strategy, ranks, files, bytes (of the application's writes), file_bytes, opens, closes, seeks, writes,
// write_sizes{"SIZE": COUNT}, mpi{opens, ..}, per_rank{min_bytes, max_bytes}, and the facts.
nlohmann::ordered_json to_json(const KernelPlan& plan);

// As people read it.
std::string to_text(const KernelPlan& plan);

// "13 bytes x 8,388,608, 4,096 x 3": sizes of writes, the most frequent first, at most `most` of them.
std::string sizes_text(const Calls& calls, std::size_t most = 6);

}  // namespace weft::kernels
