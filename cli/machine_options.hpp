// cli/machine_options.hpp - the machine that weft predict and weft advise think of: a store, ranks, nodes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "predict/kernel_work.hpp"
#include "predict/machine.hpp"
#include "predict/workload.hpp"

namespace weft::cli {

struct MachineArguments {
  std::string store;
  std::uint64_t ranks = 1;
  std::uint64_t per_node = 0;
  std::string link = "12.5GB/s";
  std::string link_latency = "2us";
  bool json = false;
};

void add_machine_options(CLI::App& command, MachineArguments& arguments);

// The example at the end of a kernel's help.
std::string machine_footer(const std::string& kernel, bool advice);

// What MPI-IO is told is no part of a prediction, which says so.
predict::Workload with_hints_left_out(predict::Workload work, const kernels::Hints& hints);

// The profile is named or read from a file; all throw Error(usage), Error(system) and Error(data).
stores::StoreProfile profile_of(const MachineArguments& arguments);
predict::Cluster cluster_of(const MachineArguments& arguments);
// What reading costs there, as a layout that is designed for it is told.
struct ReadCost {
  std::string latency;    // "21.4us"
  std::string bandwidth;  // "1.88GB/s"
};
ReadCost read_cost_of(const MachineArguments& arguments);
predict::Surroundings surroundings_of(const MachineArguments& arguments, const stores::StoreProfile& profile);

// Prints what the work would take there.
void print_prediction(const MachineArguments& arguments,
                      const std::function<predict::Workload(const predict::Surroundings&)>& work);

}  // namespace weft::cli
