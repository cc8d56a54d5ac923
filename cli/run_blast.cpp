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

void add_blast(CLI::App& parent, KernelUse use) {
  CLI::App* blast = parent.add_subcommand(
      "blast", "A task-parallel search: XML of many workers, compressed by one writer on each node");
  auto arguments = std::make_shared<BlastArguments>();
  BlastArguments& a = *arguments;
  blast->footer(
      "Example: mpirun -n 8 weft run blast --ranks-per-node 4 --strategy two-stage --out hits\n"
      "         weft run blast --strategy two-stage --tasks 3000000 --ranks-per-node 12 --plan --ranks 24576");
  const auto text = [&](const char* name, auto& value, const char* help, const char* group) {
    return blast->add_option(name, value, help)->capture_default_str()->group(group);
  };
  const char* what = "What is written";
  text("--tasks", a.options.tasks, "The number of tasks in a phase; each one finds a document of hits", what);
  text("--result-size", a.result_size,
       "The mean size of the XML that a task finds; sizes range from 0.5 to 1.5 times this", what);

  const char* how = "How it is written";
  text("--strategy", a.strategy, "immediate (compress and write each result as it arrives) or two-stage", how);
  text("--collect", a.collect, "For two-stage: the size of the text that is compressed together", how);
  text("--write", a.write, "For two-stage: the size of the compressed blocks that are written together", how);
  blast->add_option("--codec", a.codec, "zlib [immediate] or libdeflate [two-stage], which compresses only whole texts")
      ->group(how);
  blast
      ->add_option("--ranks-per-node", a.options.ranks_per_node,
                   "The number of ranks for each writer [all on one node]")
      ->group(how);
  text("--deal", a.deal,
       "How tasks are assigned to nodes: static (the same files every time) or demand (first come, first served)", how);
  add_kernel_options(*blast, use, a.common, "a search, into files of its own");
  blast->callback([arguments, blast, use] {
    const KernelActions actions{
        .plan = [=](const kernels::RunOptions& options,
                    std::uint64_t ranks) { return kernels::blast::plan_blast(finish(*arguments), options, ranks); },
        .run =
            [=](MpiCommunicator& comm, const kernels::RunOptions& options) {
              return kernels::blast::run_blast(comm, options, read_alike([&] { return finish(*arguments); }));
            },
        .work =
            [=](const kernels::RunOptions& options, const predict::Surroundings& around, const std::string& strategy) {
              BlastArguments said = *arguments;
              if (!strategy.empty()) said.strategy = strategy;
              return predict::work_of(finish(said), options, around);
            },
        .strategies = {"immediate", "two-stage"}};
    use_kernel(use, *blast, arguments->common, actions);
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
