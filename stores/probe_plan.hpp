// stores/probe_plan.hpp - what a probe measures: which requests, from how many ranks, how long each. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stores/store_profile.hpp"

namespace weft::stores {

struct ProbeOptions {
  double seconds = 60;  // of the whole probe, about
  std::uint64_t seed = 1;
};

struct ProbePlan {
  std::vector<RequestCell> requests;  // nothing in them is measured yet
  std::vector<CallCell> calls;
  int passes = 3;                   // over all of them, in an order that is drawn for each
  double cell_seconds = 0.1;        // at most, of a cell in a pass
  std::uint64_t part_bytes = 0;     // of a rank in each file that is read
  std::uint64_t written_bytes = 0;  // of a rank at most, in each file that is written
  std::uint64_t needed_bytes = 0;   // on the disk, of all files
};

// `folder` is what an error names; `ranks` as there are; `free_bytes` on the file system. Throws Error(usage) where
// that is too little, or no rank or time is given. `writes_directly`: a series does there (storage/file_system.hpp,
// DirectGain::large_requests).
ProbePlan plan_probe(const std::string& folder, const ProbeOptions& options, int ranks, std::uint64_t free_bytes,
                     bool writes_directly = false);

}  // namespace weft::stores
