// weft run picmss: a flow code's output.
#ifdef WEFT_HAVE_MPI

#include <memory>

#include "cli/kernel_options.hpp"
#include "kernels/picmss/picmss_kernel.hpp"

namespace weft::cli {

namespace {

struct PicmssArguments {
  KernelArguments kernel;
  kernels::picmss::PicmssOptions options;
  std::string strategy = std::string(kernels::picmss::name_of(kernels::picmss::PicmssOptions{}.strategy));
  std::string grid = kernels::to_string(kernels::picmss::PicmssOptions{}.grid);
  bool no_ghosts = false;
};

kernels::picmss::PicmssOptions picmss_options(const PicmssArguments& arguments) {
  kernels::picmss::PicmssOptions options = arguments.options;
  options.strategy = kernels::picmss::parse_picmss_strategy(arguments.strategy);
  options.grid = kernels::parse_extent("--grid", arguments.grid);
  options.ghosts = !arguments.no_ghosts;
  return options;
}

void use_picmss(KernelUse use, const CLI::App& app, const PicmssArguments& arguments) {
  const auto plan = [&](const kernels::RunOptions& run, std::uint64_t ranks) {
    return kernels::picmss::plan_picmss(picmss_options(arguments), run, ranks);
  };
  const auto write = [&](MpiCommunicator& comm, const kernels::RunOptions& run) {
    kernels::picmss::PicmssOptions options;
    agree_on(comm, [&] { options = picmss_options(arguments); });
    return kernels::picmss::run_picmss(comm, run, options);
  };
  const auto work = [&](const kernels::RunOptions& run, const predict::Surroundings& around,
                        const std::string& strategy) {
    PicmssArguments said = arguments;
    if (!strategy.empty()) said.strategy = strategy;
    return predict::work_of(picmss_options(said), run, around);
  };
  use_kernel(use, app, arguments.kernel,
             {.plan = plan,
              .run = write,
              .work = work,
              .strategies = {"reopen-elementwise", "typed", "typed-collective", "series"}});
}

}  // namespace

void add_picmss(CLI::App& parent, KernelUse use) {
  auto arguments = std::make_shared<PicmssArguments>();
  PicmssArguments& a = *arguments;
  CLI::App* picmss = parent.add_subcommand(
      "picmss", "Lines of a 3-D grid, all steps in one binary Tecplot file (PICMSS, a flow code)");
  picmss->footer(
      "Example: mpirun -n 4 weft run picmss --strategy typed-collective --out flow\n"
      "         weft run picmss --grid 256x256x256 --strategy reopen-elementwise --plan --ranks 3000");
  const char* what = "What is written";
  picmss->add_option("--strategy", a.strategy, "reopen-elementwise (the original), typed, typed-collective or series")
      ->capture_default_str()
      ->group(what);
  picmss->add_option("--grid", a.grid, "The number of nodes along x, y and z; the paper's is 256x256x256")
      ->capture_default_str()
      ->group(what);
  picmss->add_option("--steps", a.options.steps, "The number of steps in a file")->capture_default_str()->group(what);
  CLI::Option* const ghosts = picmss->add_flag(
      "--ghost", a.options.ghosts, "Hold the ghost lines next to a rank's own lines in memory (the default)");
  ghosts->group(what);
  picmss->add_flag("--no-ghost", a.no_ghosts, "Hold only a rank's own lines in memory")->excludes(ghosts)->group(what);
  add_kernel_options(*picmss, use, a.kernel, "a file of --steps steps");
  picmss->callback([arguments, picmss, use] { use_picmss(use, *picmss, *arguments); });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
