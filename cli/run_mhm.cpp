#ifdef WEFT_HAVE_MPI

#include <memory>

#include "cli/kernel_options.hpp"
#include "kernels/mhm/mhm_kernel.hpp"
#include "weft/support/amount.hpp"

namespace weft::cli {

namespace {

struct MhmArguments {
  KernelArguments common;
  kernels::mhm::MhmOptions options;
  std::string strategy = "files";
  std::string source = "random";
  std::string format = "stdio";
  std::string buffer = "512KiB";
};

kernels::mhm::MhmOptions finish(const MhmArguments& arguments) {
  kernels::mhm::MhmOptions options = arguments.options;
  options.strategy = kernels::mhm::parse_mhm_strategy(arguments.strategy);
  options.source = kernels::mhm::parse_mhm_source(arguments.source);
  options.format = kernels::mhm::parse_text_format(arguments.format);
  options.buffer_bytes = parse_bytes(arguments.buffer);
  return options;
}

}  // namespace

void add_mhm(CLI::App& parent, KernelUse use) {
  CLI::App* mhm =
      parent.add_subcommand("mhm", "Multiscale finite elements: a small text file for each of 4^C local problems");
  auto arguments = std::make_shared<MhmArguments>();
  MhmArguments& a = *arguments;
  mhm->footer(
      "Example: mpirun -n 2 weft run mhm --ccross 5 --sub-elements 64 --threads 2 --strategy files --out solutions\n"
      "         weft run mhm --ccross 9 --sub-elements 32 --strategy shared-buffered --plan --ranks 4096\n"
      "         weft run mhm --ccross 3 --source solve --phases 5 --out flow && weft convert flow --to vtu");
  const auto text = [&](const char* name, auto& value, const char* help, const char* group) {
    return mhm->add_option(name, value, help)->capture_default_str()->group(group);
  };
  const char* what = "What is written";
  text("--ccross", a.options.shape.ccross, "C; there are 4^C local problems", what);
  text("--sub-elements", a.options.shape.sub_elements, "S; a problem has (S + 1)(S + 2) / 2 values", what);
  text("--dims", a.options.shape.dims, "K, the number of values at a point; it must divide the number of values", what);
  text("--source", a.source, "random, or solve (the pressure of a flow, solved before every phase)", what);

  const char* how = "How it is written";
  text(
      "--strategy", a.strategy,
      "files, files-buffered, shared, shared-buffered, shared-collective, shared-aligned (to --align, to the stripe or "
      "to 4 KiB) or series",
      how);
  text("--buffer", a.buffer, "For files-buffered, shared-buffered and shared-collective: the largest size of one write",
       how);
  text("--format", a.format, "How values are formatted: stdio (printf) or fast (the same bytes)", how);
  text("--threads", a.options.threads, "The number of OpenMP threads on each rank", how);
  add_kernel_options(*mhm, use, a.common, "a solution of every problem");
  mhm->callback([arguments, mhm, use] {
    const KernelActions actions{
        .plan = [=](const kernels::RunOptions& options,
                    std::uint64_t ranks) { return kernels::mhm::plan_mhm(finish(*arguments), options, ranks); },
        .run =
            [=](MpiCommunicator& comm, const kernels::RunOptions& options) {
              return kernels::mhm::run_mhm(comm, options, read_alike([&] { return finish(*arguments); }));
            },
        .work =
            [=](const kernels::RunOptions& options, const predict::Surroundings& around, const std::string& strategy) {
              MhmArguments said = *arguments;
              if (!strategy.empty()) said.strategy = strategy;
              return predict::work_of(finish(said), options, around);
            },
        .strategies = {"files", "files-buffered", "shared", "shared-buffered", "shared-collective", "shared-aligned",
                       "series"}};
    use_kernel(use, *mhm, arguments->common, actions);
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
