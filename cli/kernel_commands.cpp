#include "cli/kernel_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "weft/support/error.hpp"
#ifdef WEFT_HAVE_MPI
#include "cli/kernel_options.hpp"
#endif

namespace weft::cli {

namespace {

void add_command(CLI::App& app, const std::string& name, KernelUse use, const std::string& about,
                 const std::string& example) {
#ifdef WEFT_HAVE_MPI
  CLI::App* command = app.add_subcommand(name, about);
  command->require_subcommand(1);
  command->footer(example);
  add_kernels(*command, use);
#else
  static_cast<void>(use);
  static_cast<void>(example);
  CLI::App* command = app.add_subcommand(name, about + " (this build is without MPI)");
  command->allow_extras();
  command->callback([name] {
    throw Error(ErrorKind::usage, "weft " + name, "this weft was built without MPI",
                "build it with -DWEFT_MPI=openmpi or mpich");
  });
#endif
}

// Of weft predict and weft advise.
std::string example_with_store(const std::string& command) {
  return fmt::format(
      "Example:\n"
      "  mpirun -n 4 weft probe /scratch/me --out scratch.json\n"
      "  weft {} --store scratch.json --ranks 192 --per-node 24",
      command);
}

}  // namespace

void add_run_command(CLI::App& app) {
  add_command(app, "run", KernelUse::run, "Run and time the I/O of an application, without its computation",
              "Example: mpirun -n 2 weft run ecg --nodes 400000 --out heart.h5");
}

void add_predict_command(CLI::App& app) {
  add_command(app, "predict", KernelUse::predict, "Say what a run would take on a file system, without running it",
              example_with_store("predict ecg --nodes 3253316"));
}

void add_advise_command(CLI::App& app) {
  add_command(app, "advise", KernelUse::advise, "Rank the ways to write what a run writes, without running it",
              example_with_store("advise ecg --nodes 3253316 --read snapshot=10,trace=1000"));
}

}  // namespace weft::cli
