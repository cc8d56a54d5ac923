#include "cli/run_command.hpp"

#include <CLI/CLI.hpp>

#include "weft/support/error.hpp"

#ifdef WEFT_HAVE_MPI

#include "cli/kernel_options.hpp"

namespace weft::cli {

void add_run_command(CLI::App& app) {
  CLI::App* run = app.add_subcommand("run", "Run and time the I/O of an application, without its computation");
  run->require_subcommand(1);
  run->footer("Example: mpirun -n 2 weft run ecg --nodes 400000 --out heart.h5");
  add_kernels(*run, KernelUse::run);
}

}  // namespace weft::cli

#else

namespace weft::cli {

void add_run_command(CLI::App& app) {
  CLI::App* run = app.add_subcommand("run", "Run an application's I/O (this build is without MPI)");
  run->allow_extras();
  run->callback([] {
    throw Error(ErrorKind::usage, "weft run", "this weft was built without MPI",
                "build it with -DWEFT_MPI=openmpi or mpich");
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
