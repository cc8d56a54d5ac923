// The `weft` command: every subcommand is a file of its own; this one gathers them and ends with one line where one
// fails.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/info_command.hpp"
#include "cli/layout_command.hpp"
#include "cli/read_command.hpp"
#include "cli/run_command.hpp"
#include "weft/support/error.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Weft: simulation output that is fast to write and fast to read, in one plain HDF5 file"};
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  app.footer("Start here: weft layout 151x400000x2, or mpirun -n 2 weft run ecg --out heart.h5");
  weft::cli::add_layout_command(app);
  weft::cli::add_run_command(app);
  weft::cli::add_info_command(app);
  weft::cli::add_read_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();  // what there was to say has been said
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    fmt::print(stderr, "weft: error: {}; see weft --help\n", error.what());
    return 2;
  } catch (const weft::Error& error) {
    fmt::print(stderr, "weft: error: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
