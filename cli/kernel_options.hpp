// cli/kernel_options.hpp - what the kernels have in common on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/advice_output.hpp"
#include "cli/kernel_commands.hpp"
#include "cli/machine_options.hpp"
#include "kernels/io/kernel_run.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

// As said; turned into options once MPI runs, so that a bad value gets its line once.
struct KernelArguments {
  kernels::RunOptions options;
  std::string align = "0";
  std::string stripe_size = "0";
  std::uint64_t stripe_count = 0;
  std::uint64_t cb_nodes = 0;
  std::vector<std::string> hints;
  std::uint64_t ranks = 0;
  bool plan = false;
  bool json = false;
  MachineArguments machine;  // to predict for
  AdviceArguments advice;
};

// What a command line says to MPI-IO.
struct HintArguments {
  const std::vector<std::string>& hints;  // KEY=VALUE
  std::uint64_t cb_nodes;                 // 0: nothing was said, here and below
  std::uint64_t stripe_count;
  std::uint64_t stripe_bytes;
};
// As hints: cb_nodes, striping_factor, striping_unit and those that are named. Throws Error(usage).
std::map<std::string, std::string> parse_hints(const HintArguments& said);

// `phase`: what a phase is, for the help.
void add_kernel_options(CLI::App& kernel, KernelUse use, KernelArguments& arguments, const std::string& phase);

// What a kernel does with its own options; both throw Error(usage) for those it cannot use.
struct KernelActions {
  std::function<kernels::KernelPlan(const kernels::RunOptions&, std::uint64_t ranks)> plan;
  std::function<nlohmann::ordered_json(MpiCommunicator&, const kernels::RunOptions&)> run;
  // With another strategy than was said, where that is not "".
  std::function<predict::Workload(const kernels::RunOptions&, const predict::Surroundings&,
                                  const std::string& strategy)>
      work;
  std::vector<std::string> strategies;  // that advice compares
};

// What is read from the command line, which all ranks have alike: so is an error in it.
template <typename Read>
auto read_alike(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw error.agreed();
  }
}

// A plan or a run, as the command line asks for it.
struct PlanOrRun {
  bool plan = false;
  std::uint64_t ranks = 0;  // to plan for; 0: those there are
  std::function<void(std::uint64_t ranks)> print_plan;
  std::function<void()> check;  // the command line, before anything is begun; throws Error(usage)
  std::function<void(Communicator&)> run;
};
// With --plan: prints what so many ranks would do. Else starts MPI and runs.
void plan_or_run(const PlanOrRun& asked);

void print_plan(const kernels::KernelPlan& plan, bool json);

// The same for a kernel of these arguments, or its prediction; prints its report.
void use_kernel(KernelUse use, const CLI::App& kernel, const KernelArguments& arguments, const KernelActions& actions);

// The subcommands of `weft run` and `weft predict` (kernels/NAME).
void add_ecg(CLI::App& parent, KernelUse use);
void add_awp(CLI::App& parent, KernelUse use);
void add_blast(CLI::App& parent, KernelUse use);
void add_hard(CLI::App& parent, KernelUse use);
void add_bare_series(CLI::App& parent, KernelUse use);  // no kernel: to predict and to give advice on
void add_mhm(CLI::App& parent, KernelUse use);
void add_picmss(CLI::App& parent, KernelUse use);
void add_kernels(CLI::App& parent, KernelUse use);

}  // namespace weft::cli
