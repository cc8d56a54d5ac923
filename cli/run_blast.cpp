#ifdef WEFT_HAVE_MPI

#include <memory>

#include "cli/kernel_options.hpp"
#include "kernels/blast/blast_kernel.hpp"
#include "weft/support/amount.hpp"

namespace weft::cli {

namespace {

struct BlastArguments {
  KernelArguments common;
  kernels::blast::BlastOptions options;
  std::string strategy = "immediate";
  std::string deal = "static";
  std::string result_size = "200KiB";
  std::string collect = "768MiB";
  std::string write = "768MiB";
  std::string codec;
};

kernels::blast::BlastOptions finish(const BlastArguments& arguments) {
  kernels::blast::BlastOptions options = arguments.options;
  options.strategy = kernels::blast::parse_blast_strategy(arguments.strategy);
  options.dealing = kernels::blast::parse_dealing(arguments.deal);
  if (!arguments.codec.empty()) options.codec = kernels::blast::parse_codec(arguments.codec);
  options.result_bytes = parse_bytes(arguments.result_size);
  options.collect_bytes = parse_bytes(arguments.collect);
  options.write_bytes = parse_bytes(arguments.write);
  return options;
}

}  // namespace

void add_blast(CLI::App& run) {
  CLI::App* blast = run.add_subcommand("blast", "A task-parallel search: workers' XML, compressed by a writer a node");
  auto arguments = std::make_shared<BlastArguments>();
  BlastArguments& a = *arguments;
  blast->footer(
      "Example: mpirun -n 8 weft run blast --ranks-per-node 4 --strategy two-stage --out hits\n"
      "         weft run blast --strategy two-stage --tasks 3000000 --ranks-per-node 12 --plan --ranks 24576");
  const auto text = [&](const char* name, auto& value, const char* help, const char* group) {
    return blast->add_option(name, value, help)->capture_default_str()->group(group);
  };
  const char* what = "What is written";
  text("--tasks", a.options.tasks, "of a phase; each finds a document of hits", what);
  text("--result-size", a.result_size, "bytes of XML a task finds, on average; from half of it to half as much again",
       what);

  const char* how = "How it is written";
  text("--strategy", a.strategy, "immediate (each result compressed and written as it comes) or two-stage", how);
  text("--collect", a.collect, "two-stage: text that is compressed together", how);
  text("--write", a.write, "two-stage: compressed blocks that are written together", how);
  blast->add_option("--codec", a.codec, "zlib (immediate) or libdeflate (two-stage), which takes whole texts only")
      ->group(how);
  blast->add_option("--ranks-per-node", a.options.ranks_per_node, "a writer for so many ranks (all on one node)")
      ->group(how);
  text("--deal", a.deal, "which node gets a task: static (the same files every time) or demand (who asks first)", how);
  add_kernel_options(*blast, a.common, "a search, into files of its own");
  blast->callback([arguments] {
    const KernelActions actions{
        .plan = [=](const kernels::RunOptions& options,
                    std::uint64_t ranks) { return kernels::blast::plan_blast(finish(*arguments), options, ranks); },
        .run =
            [=](MpiCommunicator& comm, const kernels::RunOptions& options) {
              return kernels::blast::run_blast(comm, options, read_alike([&] { return finish(*arguments); }));
            }};
    plan_or_run(arguments->common, actions);
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
