#include "cli/recover_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/json_text.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/own_process.hpp"
#include "weft/verify/recovery.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;
using verify::Recovery;

struct RecoverArguments {
  std::string path;
  verify::RecoveryOptions options;
  bool json = false;
};

json to_json(const Recovery& recovery) {
  return {{"file", recovery.path},
          {"actions", recovery.actions},
          {"changed", !recovery.dry_run && !recovery.actions.empty()},
          {"dry_run", recovery.dry_run},
          {"steps", recovery.all_told ? json(recovery.steps) : json(nullptr)}};
}

std::string to_text(const Recovery& recovery) {
  if (recovery.actions.empty()) {
    return fmt::format("{} is sound, with {} steps: nothing to recover\n", recovery.path, format_count(recovery.steps));
  }
  std::string text = fmt::format("{}: {}\n", recovery.path, recovery.dry_run ? "weft recover would" : "recovered:");
  for (const std::string& action : recovery.actions) text += fmt::format("  {}\n", action);
  if (!recovery.all_told) return text + "Run it again after that to see what else there is to do.\n";
  text += fmt::format("{} steps {} in it\n", format_count(recovery.steps), recovery.dry_run ? "would be" : "are");
  const std::string xdmf = recovery.path + ".xdmf";
  if (!recovery.dry_run && std::filesystem::exists(xdmf)) {
    text += fmt::format("{} is out of date: weft view {} makes it again\n", xdmf, recovery.path);
  }
  return text;
}

}  // namespace

void add_recover_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("recover", "Repair a Weft file after a crash; a sound file is not changed");
  const auto arguments = std::make_shared<RecoverArguments>();
  command->add_option("file", arguments->path, "The file; no program may have it open for writing")->required();
  command->add_flag("--dry-run", arguments->options.dry_run, "Print what would be done and change nothing");
  command->add_flag("--take-over", arguments->options.take_over,
                    "Break the lock of a writer on another machine; use it only if you know that this writer has died");
  command->add_flag("--keep-written", arguments->options.keep_written,
                    "Keep all steps that were written, not only those known to be on the disk; use it only if no "
                    "machine of the run went down");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "The series ends with its committed steps, and its view shows these; weft run .. --append and append_series()\n"
      "go on from there. Files that Weft did not write are not recovered.\n"
      "Example:\n  weft recover heart.h5 && weft verify heart.h5");
  command->callback([arguments] {
    fmt::print("{}", in_own_process(arguments->path, true, [&](OwnProcess&) {
                 const Recovery recovery = verify::recover_file(arguments->path, arguments->options);
                 return arguments->json ? json_text(to_json(recovery)) + "\n" : to_text(recovery);
               }));
  });
}

}  // namespace weft::cli
