// weft run awp: a seismic code's output.
#ifdef WEFT_HAVE_MPI

#include <memory>
#include <optional>

#include "cli/kernel_options.hpp"
#include "kernels/awp/awp_kernel.hpp"

namespace weft::cli {

namespace {

struct AwpArguments {
  KernelArguments kernel;
  kernels::awp::AwpOptions options;
  std::string strategy = std::string(kernels::awp::name_of(kernels::awp::AwpStrategy::subarray));
  std::string grid = kernels::to_string(kernels::awp::AwpOptions{}.grid);
  std::string processes;
  std::optional<std::uint64_t> steps;
  bool phases_given = false;
};

kernels::awp::AwpOptions awp_options(const AwpArguments& arguments) {
  kernels::awp::AwpOptions options = arguments.options;
  options.strategy = kernels::awp::parse_awp_strategy(arguments.strategy);
  options.grid = kernels::parse_extent("--grid", arguments.grid);
  if (!arguments.processes.empty()) options.processes = kernels::parse_extent("--procs", arguments.processes);
  return options;
}

// --steps says how many phases there are.
kernels::RunOptions with_steps(const AwpArguments& arguments, kernels::RunOptions run) {
  if (!arguments.steps) return run;
  run.phases = kernels::awp::awp_sets(*arguments.steps, arguments.options.steps_per_file,
                                      arguments.phases_given ? std::optional(run.phases) : std::nullopt);
  return run;
}

void use_awp(KernelUse use, const CLI::App& app, const AwpArguments& arguments) {
  const auto plan = [&](const kernels::RunOptions& run, std::uint64_t ranks) {
    return kernels::awp::plan_awp(awp_options(arguments), with_steps(arguments, run), ranks);
  };
  const auto write = [&](MpiCommunicator& comm, const kernels::RunOptions& run) {
    kernels::awp::AwpOptions options;
    kernels::RunOptions of_sets;
    agree_on(comm, [&] {
      options = awp_options(arguments);
      of_sets = with_steps(arguments, run);
    });
    return kernels::awp::run_awp(comm, of_sets, options);
  };
  const auto work = [&](const kernels::RunOptions& run, const predict::Surroundings& around,
                        const std::string& strategy) {
    AwpArguments said = arguments;
    if (!strategy.empty()) said.strategy = strategy;
    return predict::work_of(awp_options(said), with_steps(arguments, run), around);
  };
  use_kernel(
      use, app, arguments.kernel,
      {.plan = plan, .run = write, .work = work, .strategies = {"hindexed", "hindexed-rows", "subarray", "series"}});
}

}  // namespace

void add_awp(CLI::App& parent, KernelUse use) {
  auto arguments = std::make_shared<AwpArguments>();
  AwpArguments& a = *arguments;
  CLI::App* awp =
      parent.add_subcommand("awp", "Blocks of a 3-D grid, every second point, one file for each variable (AWP-ODC)");
  awp->footer(
      "Example: mpirun -n 4 weft run awp --strategy subarray --out waves\n"
      "         weft run awp --grid 10125x5000x1060 --procs 75x40x10 --steps 200 --plan --ranks 30000");
  const char* what = "What is written";
  awp->add_option("--strategy", a.strategy, "hindexed (the original), hindexed-rows, subarray or series")
      ->capture_default_str()
      ->group(what);
  awp->add_option("--grid", a.grid, "The grid of the computation; the paper's is 10125x5000x1060")
      ->capture_default_str()
      ->group(what);
  awp->add_option("--skip", a.options.skip, "Write one in this many points along each axis")
      ->capture_default_str()
      ->group(what);
  awp->add_option("--procs", a.processes, "The grid of processes, PXxPYxPZ [as even as possible]")->group(what);
  awp->add_option("--steps-per-file", a.options.steps_per_file,
                  "The number of steps that are gathered and written together")
      ->capture_default_str()
      ->group(what);
  awp->add_option("--variables", a.options.variables, "The number of values at a point; each has its own file")
      ->capture_default_str()
      ->group(what);
  awp->add_option("--steps", a.steps, "The number of steps in all; sets --phases")->group(what);
  add_kernel_options(*awp, use, a.kernel, "a set: one file a variable, of --steps-per-file steps");
  awp->callback([arguments, awp, use] {
    arguments->phases_given = awp->count("--phases") > 0;
    use_awp(use, *awp, *arguments);
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
