// kernels/io/rank_accounts.hpp - what every rank did, brought together on one.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/io/calls.hpp"
#include "kernels/io/phase_times.hpp"
#include "weft/support/communicator.hpp"

namespace weft::kernels {

// What a rank did. Threads have one each and add theirs.
struct Done {
  Calls app;  // as the plan's
  Calls mpi;
  Calls system;  // what reached the system, on the paths where that is known: stdio, direct
  PhaseTimes times;
  std::uint64_t bytes = 0;  // that this rank wrote
  double output = 0;        // seconds of its output phases
  double aside = 0;         // seconds of the output phases that are not output: set_aside()

  Done& operator+=(const Done& other);
};

// Every rank's, on rank 0; nothing on the others. Collective.
std::vector<Done> gathered(Communicator& comm, const Done& mine);

// {"output": {min, median, max}, "write": ..}: seconds of the ranks, without the parts that no rank spent any time on.
nlohmann::ordered_json seconds_per_rank(const std::vector<Done>& ranks);

// Makes the report on rank 0, and gives it to all: `make` is called there alone, with every rank's account. Collective;
// throws agreed errors.
nlohmann::ordered_json report_of(Communicator& comm, const Done& mine,
                                 const std::function<nlohmann::ordered_json(const std::vector<Done>&)>& make);

}  // namespace weft::kernels
