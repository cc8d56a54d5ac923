// predict/simulation.hpp - a workload on a machine, as a discrete-event simulation: actors that share resources.
//
// The simulation is SimGrid's, in a program of its own (predict/simulator): its libraries would cost every other
// command 30 ms. What goes there and back is JSON:
//   {"resources": N, "groups": [{"ranks": 2, "steps": [{"phase": "write", "uses": [[RESOURCE, AMOUNT, BOUND]]},
//                                                      {"phase": "write", "meet": SECONDS},
//                                                      {"phase": "flush", "behind": true, "uses": [...]},
//                                                      {"phase": "close", "wait": 0}]}],
//    "order": [[GROUP, RANKS], ...], "ranks_per_node": N}
// A resource does one second's work a second, and those who use it at a time share it evenly, each at most at its
// BOUND. RESOURCE -1 is the rank's own; "node" stands for the link of the rank's node: see simulator.cpp.
#pragma once

#include <map>
#include <string>

#include "predict/machine.hpp"
#include "predict/workload.hpp"

namespace weft::predict {

struct SimulatedTimes {
  double seconds = 0;                      // of the rank that ends last
  std::map<std::string, double> of_phase;  // of the rank that spends most in it
};

// Throws Error(usage) in a build without SimGrid, and Error(system) where the program fails.
SimulatedTimes simulate(const Workload& work, const Machine& machine);

}  // namespace weft::predict
