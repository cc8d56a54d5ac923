#include "cli/predict_command.hpp"

#include <CLI/CLI.hpp>

#include "weft/support/error.hpp"

#ifdef WEFT_HAVE_MPI

#include "cli/kernel_options.hpp"

namespace weft::cli {

void add_predict_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Say what a run would take on a file system, without running it");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  mpirun -n 4 weft probe /scratch/me --out scratch.json\n"
      "  weft predict ecg --nodes 3253316 --store scratch.json --ranks 192 --per-node 24");
  add_kernels(*command, KernelUse::predict);
}

}  // namespace weft::cli

#else

namespace weft::cli {

void add_predict_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Say what a run would take (this build is without MPI)");
  command->allow_extras();
  command->callback([] {
    throw Error(ErrorKind::usage, "weft predict", "this weft was built without MPI",
                "build it with -DWEFT_MPI=openmpi or mpich");
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
