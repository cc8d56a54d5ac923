// The `weft` command: every subcommand is a file of its own; this one gathers them and ends with one line where one
// fails.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hdf5.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/companions.hpp"
#include "cli/convert_command.hpp"
#include "cli/ecg_command.hpp"
#include "cli/import_command.hpp"
#include "cli/info_command.hpp"
#include "cli/inspect_command.hpp"
#include "cli/kernel_commands.hpp"
#include "cli/layout_command.hpp"
#include "cli/manual.hpp"
#include "cli/on_ranks.hpp"
#include "cli/probe_command.hpp"
#include "cli/read_command.hpp"
#include "cli/recover_command.hpp"
#include "cli/reduce_command.hpp"
#include "cli/refs_command.hpp"
#include "cli/repack_command.hpp"
#include "cli/suggestion.hpp"
#include "cli/verify_command.hpp"
#include "cli/versions.hpp"
#include "cli/view_command.hpp"
#include "cli/with_command.hpp"
#include "weft/support/error.hpp"

namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App& app);
};
constexpr std::array kCommands = {
    Command{"layout", weft::cli::add_layout_command}, Command{"run", weft::cli::add_run_command},
    Command{"info", weft::cli::add_info_command},     Command{"inspect", weft::cli::add_inspect_command},
    Command{"read", weft::cli::add_read_command},     Command{"view", weft::cli::add_view_command},
    Command{"reduce", weft::cli::add_reduce_command}, Command{"convert", weft::cli::add_convert_command},
    Command{"refs", weft::cli::add_refs_command},     Command{"ecg", weft::cli::add_ecg_command},
    Command{"repack", weft::cli::add_repack_command}, Command{"import", weft::cli::add_import_command},
    Command{"verify", weft::cli::add_verify_command}, Command{"recover", weft::cli::add_recover_command},
    Command{"probe", weft::cli::add_probe_command},   Command{"predict", weft::cli::add_predict_command},
    Command{"advise", weft::cli::add_advise_command}, Command{"with", weft::cli::add_with_command},
    Command{"manual", weft::cli::add_manual_command},
};

// The one that is called; all where it is none of them, or the one that writes of all. To make the options of all takes
// 15 ms.
void add_commands(CLI::App& app, std::string_view called) {
  const bool is_known = std::ranges::any_of(kCommands, [&](const Command& command) { return command.name == called; });
  const bool adds_all = !is_known || called == "manual";
  for (const Command& command : kCommands) {
    if (adds_all || command.name == called) command.add(app);
  }
}

// A command that is not built in may be a program of its own, and this becomes it. For one that is neither CLI11 would
// say no more than that a subcommand is missing.
void check_command(const CLI::App& app, char** argv) {
  const std::string_view word = argv[1];
  if (word.starts_with('-')) return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return;
    if (command->get_group().empty()) continue;  // not for people
    known.push_back(command->get_name());
  }
  if (const auto program = weft::cli::find_companion(argv[1])) weft::cli::become_companion(*program, argv);
  for (const std::string& name : weft::cli::companions()) known.push_back(name);
  const std::string meant = weft::cli::nearest(word, known);
  throw weft::Error(
      weft::ErrorKind::usage, fmt::format("weft {}", word), "is not a command",
      fmt::format("{}there are {}; see weft --help", meant.empty() ? "" : fmt::format("did you mean weft {}? ", meant),
                  fmt::join(known, ", ")));
}

std::string footer(bool for_people) {
  std::string text = "Start here: weft layout 151x400000x2, or mpirun -n 2 weft run ecg --out heart.h5";
  if (!for_people) return text;  // the manual pages are of what is built in
  std::string names;
  for (const std::string& name : weft::cli::companions()) names += (names.empty() ? "weft " : ", weft ") + name;
  return names.empty() ? text : fmt::format("Programs of their own: {}\n\n{}", names, text);
}

int run(int argc, char** argv) {
  // Weft closes what it opens. What HDF5 could not close (a full disk) would crash its own clean-up when the program
  // ends.
  H5dont_atexit();
  CLI::App app{"Weft: simulation output that is fast to write and fast to read, in one plain HDF5 file", "weft"};
  app.set_version_flag("--version", weft::cli::versions);
  app.require_subcommand(1);
  app.footer(footer(argc < 2 || std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h"));
  add_commands(app, argc > 1 ? argv[1] : "");
  if (argc < 2) {
    fmt::print("{}", app.help());
    return 2;
  }
  try {
    check_command(app, argv);
    if (const int separator = weft::cli::separator_of_with(app, argc, argv); separator > 0) {
      std::copy(argv + separator + 1, argv + argc, argv + separator);
      --argc;
    }
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();  // what there was to say has been said
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    weft::cli::say_once(fmt::format("{}; {}see weft --help", error.what(), weft::cli::option_meant(app)));
    return 2;
  } catch (const weft::Error& error) {
    weft::cli::say_once(error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: error: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = run(argc, argv);
  // What was printed may still be in memory, and its end that did not fit has not been told.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (code == 0) fmt::print(stderr, "weft: error: standard output: not all of it could be written\n");
  return code == 0 ? 1 : code;
}
