// stores/probe.hpp - measures what requests cost on a file system, from as many ranks as there are.
#pragma once

#include <functional>
#include <string>

#include "stores/probe_plan.hpp"
#include "stores/store_profile.hpp"
#include "weft/support/communicator.hpp"

namespace weft::stores {

struct ProbeSurroundings {
  std::string program;                // this one: started again to clean up (stores/scratch_folder.hpp)
  std::function<bool()> interrupted;  // asked between two cells
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // rank 0's
};

// Makes files in `folder`, in a folder of their own that is gone afterwards, and times requests of the system (pread,
// pwrite, open, fsync) into them. What is read was written by the same ranks and dropped from the page cache before,
// where the system does that. The profile is the same on all ranks. Collective. Throws Error(usage) where there is no
// room, and Error(system), agreed.
StoreProfile probe(Communicator& comm, const std::string& folder, const ProbeOptions& options,
                   const ProbeSurroundings& surroundings);

}  // namespace weft::stores
