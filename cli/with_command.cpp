#include "cli/with_command.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/companions.hpp"
#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "cli/program_check.hpp"
#include "cli/with_policy.hpp"
#include "cli/with_report.hpp"
#include "weft/layout/design.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct WithOptions {
  bool watch = false;
  bool write_behind = false;
  std::string layout;
  std::string reads = "snapshot=1,trace=1";
  std::string target = "1MiB";
  std::int64_t steps = 1000;
  std::string budget = "256MiB";
  std::string within = "60s";
  std::string json_file;
};

json rules_of(const WithOptions& options) {
  if (options.layout.empty()) return json::array();
  if (options.layout.ends_with(".toml")) return policy_of(options.layout);
  json rule = {{"match", "*"}, {"algorithm", layout::name_of(layout::parse_algorithm(options.layout))}};
  // Their axes are known when a dataset is created; what can be said of words alone is said here.
  layout::parse_reads(options.reads, {1000, 1000, 1000}, layout::parse_axes("step,y,x", 3), 1);
  rule["reads"] = options.reads;
  rule["target_bytes"] = parse_bytes(options.target);
  if (options.steps < 1) throw Error(ErrorKind::usage, "--steps", "is less than 1", "say how many steps are expected");
  rule["steps"] = options.steps;
  return json::array({rule});
}

// A folder for the reports of the processes, gone with it.
class ReportFolder {
 public:
  ReportFolder() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "weft-with-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw system_error(name, "cannot be created", errno);
    path_ = name;
  }
  ~ReportFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

volatile std::sig_atomic_t child_process = 0;

// Whoever ends weft means the program; a terminal's Ctrl-C reaches both.
void pass_on(int signal) {
  if (child_process > 0 && signal != SIGINT) kill(child_process, signal);
}

// Runs the program, and returns how it ended: its exit code, or 128 and its signal.
int run_program(const std::string& program, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw system_error(program, "cannot be started", errno);
  if (child == 0) {
    execv(program.c_str(), arguments.data());
    fmt::print(stderr, "weft: error: {}: cannot be started: {}\n", program, std::strerror(errno));
    _exit(127);
  }
  child_process = child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) std::signal(signal, pass_on);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void write_report(const std::string& path, const json& report) {
  std::ofstream stream(path);
  stream << json_text(report) << "\n";
  stream.close();
  if (!stream) throw system_error(path, "cannot be written", errno);
}

void run(const WithOptions& options, const std::vector<std::string>& words) {
  if (words.empty()) {
    throw Error(ErrorKind::usage, "weft with", "there is no program",
                "name one, as in: weft with --watch python3 simulate.py");
  }
  if (words.front().starts_with('-')) {
    throw Error(ErrorKind::usage, words.front(), "is no option of weft with", "see weft with --help");
  }
  const std::string program = find_program(words.front());
  check_program(program);
  const bool watch = options.watch || !options.json_file.empty() || (options.layout.empty() && !options.write_behind);
  const std::string library = own_file("libweft-with.so");
  if (library.find_first_of(": ") != std::string::npos) {
    throw Error(ErrorKind::system, library, "has a space or a colon in its path", "install weft where there is none");
  }
  // Not when the program has run for a day.
  if (!options.json_file.empty() && !std::ofstream(options.json_file, std::ios::app)) {
    throw system_error(options.json_file, "cannot be written", errno);
  }
  const ReportFolder reports;
  const json settings = {{"watch", watch},
                         {"write_behind", options.write_behind},
                         {"rules", rules_of(options)},
                         {"budget_bytes", parse_bytes(options.budget)},
                         {"within_seconds", parse_seconds(options.within)},
                         {"report", reports.path().string()}};
  const char* before = std::getenv("LD_PRELOAD");
  const std::string preload = before == nullptr || *before == '\0' ? library : library + ":" + before;
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv("WEFT_WITH", settings.dump().c_str(), 1);
  const int code = run_program(program, words);
  unsetenv("LD_PRELOAD");

  const json report = gathered_report(reports.path().string());
  if (is_launched_behind_another()) {
    // The first rank of those that were each started by weft with speaks for all.
  } else if (report["processes"] == 0 && code >= 128) {
    if (watch) fmt::print(stderr, "weft with: {}: was ended by a signal before it could report\n", words.front());
    std::error_code none;
    if (watch && fs::file_size(options.json_file, none) == 0) fs::remove(options.json_file, none);
  } else if (report["processes"] == 0) {
    fmt::print(stderr,
               "weft with: {}: called no HDF5 that could be seen: it has none, or is linked with a static one\n",
               words.front());
  } else if (watch && !options.json_file.empty()) {
    write_report(options.json_file, report);
  } else if (watch) {
    fmt::print(stderr, "\n{}", with_report_text(report));
  }
  if (code != 0) throw CLI::RuntimeError(code);
}

}  // namespace

void add_with_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "with", "Run a program that uses HDF5, unchanged, and watch it, or give its files a better layout and writes");
  const auto options = std::make_shared<WithOptions>();
  command->add_flag("--watch", options->watch,
                    "Report what it does to each dataset [this, where nothing else is asked for]");
  command->add_option("--layout", options->layout,
                      "Create chunked datasets with other chunks: reads, isotropic, or FILE.toml with rules");
  command->add_option("--read", options->reads, "What the chunks are for, with --layout reads (see weft layout)")
      ->capture_default_str();
  command->add_option("--target", options->target, "The largest chunk, with --layout")->capture_default_str();
  command->add_option("--steps", options->steps, "Steps to expect along an unlimited first axis")
      ->capture_default_str();
  command->add_flag("--write-behind", options->write_behind,
                    "Gather what is written a step at a time, and write it in windows");
  command->add_option("--budget", options->budget, "Memory for steps that wait, in each process")
      ->capture_default_str();
  command->add_option("--within", options->within, "No step waits longer")->capture_default_str();
  command->add_option("--json", options->json_file,
                      "Write the report as JSON into this file, instead of a table on standard error");
  command->prefix_command();
  command->footer(
      "weft with [OPTIONS] [--] PROGRAM [ARGUMENTS]: what comes behind the program is the program's.\n\n"
      "Example:\n  weft with --watch python3 simulate.py\n"
      "  weft with --layout reads --write-behind mpirun -n 4 ./simulate\n\n"
      "The program has to be linked with a shared HDF5 (1.10 to 2.x). With ranks on several machines the launcher\n"
      "has to pass on LD_PRELOAD and WEFT_WITH (Open MPI: -x LD_PRELOAD -x WEFT_WITH).");
  command->callback([options, command] { run(*options, command->remaining()); });
}

int separator_of_with(const CLI::App& app, int argc, char** argv) {
  if (std::string_view(argv[1]) != "with") return 0;
  const CLI::App* command = app.get_subcommand("with");
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return i;
    if (!word.starts_with('-')) return 0;  // the program
    const CLI::Option* option = command->get_option_no_throw(std::string(word));
    if (option != nullptr && option->get_expected_min() > 0) ++i;  // its value
  }
  return 0;
}

}  // namespace weft::cli
