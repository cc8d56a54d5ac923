// weft run hard: small records of all ranks in turn in one file, and a file a rank.
#ifdef WEFT_HAVE_MPI

#include <memory>

#include "cli/kernel_options.hpp"
#include "kernels/hard/hard_kernel.hpp"
#include "weft/support/amount.hpp"

namespace weft::cli {

namespace {

struct HardArguments {
  KernelArguments kernel;
  kernels::hard::HardOptions options;
  std::string strategy = std::string(kernels::hard::name_of(kernels::hard::HardOptions{}.strategy));
  std::string record = "47008";
  std::string transfer = "2MiB";
};

kernels::hard::HardOptions hard_options(const HardArguments& arguments) {
  kernels::hard::HardOptions options = arguments.options;
  options.strategy = kernels::hard::parse_hard_strategy(arguments.strategy);
  options.record_bytes = parse_bytes(arguments.record);
  options.transfer_bytes = parse_bytes(arguments.transfer);
  return options;
}

void use_hard(KernelUse use, const CLI::App& app, const HardArguments& arguments) {
  const auto plan = [&](const kernels::RunOptions& run, std::uint64_t ranks) {
    return kernels::hard::plan_hard(hard_options(arguments), run, ranks);
  };
  const auto write = [&](MpiCommunicator& comm, const kernels::RunOptions& run) {
    kernels::hard::HardOptions options;
    agree_on(comm, [&] { options = hard_options(arguments); });
    return kernels::hard::run_hard(comm, run, options);
  };
  const auto work = [&](const kernels::RunOptions& run, const predict::Surroundings& around,
                        const std::string& strategy) {
    HardArguments said = arguments;
    if (!strategy.empty()) said.strategy = strategy;
    return predict::work_of(hard_options(said), run, around);
  };
  use_kernel(
      use, app, arguments.kernel,
      {.plan = plan, .run = write, .work = work, .strategies = {"files", "raw", "collective", "hdf5", "series"}});
}

}  // namespace

void add_hard(CLI::App& parent, KernelUse use) {
  auto arguments = std::make_shared<HardArguments>();
  HardArguments& a = *arguments;
  CLI::App* hard =
      parent.add_subcommand("hard", "Small records of all ranks in turn in one file, or a file a rank (IO500)");
  hard->footer(
      "Example: mpirun -n 4 weft run hard --strategy raw --out records\n"
      "         mpirun -n 4 weft run hard --strategy files --out easy");
  const char* what = "What is written";
  hard->add_option("--strategy", a.strategy, "files (the easy twin), raw, collective, hdf5 or series")
      ->capture_default_str()
      ->group(what);
  hard->add_option("--records", a.options.records, "The number of records of a rank")
      ->capture_default_str()
      ->group(what);
  hard->add_option("--record", a.record, "The bytes of a record")->capture_default_str()->group(what);
  hard->add_option("--transfer", a.transfer, "The bytes of a write of files")->capture_default_str()->group(what);
  hard->add_option("--read", a.options.reads, "The reads that the chunks of series are for, as in weft layout")
      ->capture_default_str()
      ->group(what);
  hard->add_flag("--sync", a.options.sync, "The time ends when everything is on the disk")->group(what);
  add_kernel_options(*hard, use, a.kernel, "all records, in files of its own");
  hard->callback([arguments, hard, use] { use_hard(use, *hard, *arguments); });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
