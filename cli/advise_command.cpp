#include "cli/advise_command.hpp"

#include <CLI/CLI.hpp>

#include "weft/support/error.hpp"

#ifdef WEFT_HAVE_MPI

#include "cli/kernel_options.hpp"

namespace weft::cli {

void add_advise_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("advise", "Rank the ways to write what a run writes, without running it");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  mpirun -n 4 weft probe /scratch/me --out scratch.json\n"
      "  weft advise ecg --nodes 3253316 --read snapshot=10,trace=1000 --store scratch.json --ranks 192 --per-node 24");
  add_kernels(*command, KernelUse::advise);
}

}  // namespace weft::cli

#else

namespace weft::cli {

void add_advise_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("advise", "Rank the ways to write (this build is without MPI)");
  command->allow_extras();
  command->callback([] {
    throw Error(ErrorKind::usage, "weft advise", "this weft was built without MPI",
                "build it with -DWEFT_MPI=openmpi or mpich");
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
