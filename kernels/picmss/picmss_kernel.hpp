// kernels/picmss/picmss_kernel.hpp - the output of a code for flows, PICMSS, without its computing ("application 3" of
// docs/kernels/picmss.md).
//
// All time steps of a phase go into one binary Tecplot file: a long header by rank 0, then arrays in which every rank
// has a contiguous part. In memory the values of a node lie together, and ghosts around the rank's own nodes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "kernels/io/extent.hpp"
#include "kernels/io/kernel_plan.hpp"
#include "kernels/io/kernel_run.hpp"

namespace weft::kernels::picmss {

enum class PicmssStrategy {
  reopen_elementwise,  // opened, written value by value and closed every step: the original
  typed,               // MPI types of headers, memory and file: one write an array on each rank
  typed_collective,    // the same, all ranks together
  series,              // Weft's writer: one HDF5 file a phase
};

std::string_view name_of(PicmssStrategy strategy);
// Throws Error(usage).
PicmssStrategy parse_picmss_strategy(std::string_view text);

struct PicmssOptions {
  PicmssStrategy strategy = PicmssStrategy::typed_collective;
  Extent grid{64, 64, 64};
  std::uint64_t steps = 10;  // of a phase
  bool ghosts = true;        // in memory
};

// The file of a phase; `out` is the folder.
std::string picmss_file(const std::string& out, const PicmssOptions& options, std::uint64_t phase);

// Pure: what so many ranks would do. Throws Error(usage) for options that cannot be.
KernelPlan plan_picmss(const PicmssOptions& options, const RunOptions& run, std::uint64_t ranks);

// Collective. A phase is a file of all steps.
nlohmann::ordered_json run_picmss(MpiCommunicator& comm, const RunOptions& run, const PicmssOptions& options);

}  // namespace weft::kernels::picmss
