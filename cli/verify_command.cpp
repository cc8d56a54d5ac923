#include "cli/verify_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cli/json_text.hpp"
#include "cli/text_table.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/take_file.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/own_process.hpp"
#include "weft/survey/piece_sums.hpp"
#include "weft/survey/pieces.hpp"
#include "weft/verify/comparison.hpp"
#include "weft/verify/file_check.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;
using survey::Problem;
using verify::Comparison;

struct VerifyArguments {
  std::string path;
  std::string other;
  std::string budget = "256MiB";
  bool strict = false;
  bool quick = false;
  bool add_checksums = false;
  std::uint64_t limit = 20;
  bool json = false;
};

json to_json(const std::vector<Problem>& problems) {
  json list = json::array();
  for (const Problem& problem : problems) list.push_back({{"path", problem.path}, {"what", problem.what}});
  return list;
}

json to_json(const Comparison& result) {
  json values = json::array();
  for (const verify::ValueDifference& one : result.values) {
    values.push_back({{"path", one.path},
                      {"differing", one.differing},
                      {"elements", one.elements},
                      {"first", one.first},
                      {"left", one.left},
                      {"right", one.right}});
  }
  return {{"left", result.left},
          {"right", result.right},
          {"equal", result.equal()},
          {"differences", to_json(result.differences)},
          {"values", values},
          {"unreadable", to_json(result.unreadable)},
          {"left_out", result.left_out},
          {"compared",
           {{"groups", result.groups},
            {"datasets", result.datasets},
            {"types", result.types},
            {"links", result.links},
            {"attributes", result.attributes},
            {"bytes", result.bytes}}}};
}

// A name may hold a newline.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

const char* verdict_word(verify::Verdict verdict) {
  switch (verdict) {
    case verify::Verdict::pass: return "pass";
    case verify::Verdict::note: return "note";
    case verify::Verdict::fail: return "fail";
    case verify::Verdict::left_out: return "left out";
  }
  return "left out";
}

std::string to_text(const Comparison& result, std::uint64_t limit) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Problem& one : result.differences) lines.emplace_back(one.path, one.what);
  for (const verify::ValueDifference& one : result.values) {
    lines.emplace_back(one.path,
                       fmt::format("{} of {} values differ, first at {}: {} / {}", format_count(one.differing),
                                   format_count(one.elements), survey::index_text(one.first), one.left, one.right));
  }
  for (const Problem& one : result.unreadable) lines.emplace_back(one.path, one.what);
  const std::string compared =
      fmt::format("{} datasets ({} of values), {} attributes, {} groups", format_count(result.datasets),
                  format_bytes(result.bytes), format_count(result.attributes), format_count(result.groups));
  std::string text;
  if (result.equal()) {
    text = fmt::format("{} and {} hold the same: {}\n", result.left, result.right, compared);
  } else {
    text = fmt::format("{} / {}: {} difference{} in {}\n\n", result.left, result.right, format_count(lines.size()),
                       lines.size() == 1 ? "" : "s", compared);
    std::vector<std::vector<std::string>> rows;
    for (const auto& [path, what] : lines) {
      if (rows.size() < limit) rows.push_back({in_one_line(path), in_one_line(what)});
    }
    text += text_table(rows, 2);
    if (lines.size() > limit) {
      text += fmt::format("... and {} more: --limit {}\n", format_count(lines.size() - limit), lines.size());
    }
  }
  for (const std::string& line : result.left_out) text += fmt::format("not compared: {}\n", line);
  return text;
}

// Bytes that were read, for whoever waits.
std::function<void(std::uint64_t, std::uint64_t)> progress_to(OwnProcess& self, const char* what) {
  return [&self, what, begun = false](std::uint64_t done, std::uint64_t total) mutable {
    constexpr std::uint64_t kUnit = 1ULL << 20;
    if (!begun) self.phase(what, "MiB", total / kUnit);
    begun = true;
    self.done(done / kUnit);
  };
}

// What is printed, and whether all is well.
struct Answer {
  std::string text;
  bool well = true;
};

json to_json(const verify::FileReport& report) {
  json checks = json::array();
  for (const verify::Check& check : report.list.checks) {
    checks.push_back({{"check", check.what},
                      {"verdict", verdict_word(check.verdict)},
                      {"detail", check.detail},
                      {"problems", check.problems}});
  }
  json result = {{"file", report.path},
                 {"format", report.is_weft ? "weft" : "hdf5"},
                 {"sound", report.sound()},
                 {"checks", checks}};
  if (report.steps) result["steps"] = *report.steps;
  if (report.committed) result["committed"] = *report.committed;
  return result;
}

std::string to_text(const verify::FileReport& report) {
  std::vector<std::vector<std::string>> rows{{"check", "", ""}};
  for (const verify::Check& check : report.list.checks) {
    rows.push_back({check.what, std::string(name_of(check.verdict)), in_one_line(check.line())});
  }
  return fmt::format("{}\n{} is {}\n", text_table(rows, 3), report.path, report.sound() ? "sound" : "NOT sound");
}

Answer check(const VerifyArguments& arguments, OwnProcess& self) {
  verify::FileCheckOptions options;
  options.quick = arguments.quick;
  options.budget_bytes = parse_bytes(arguments.budget);
  options.progress = progress_to(self, "reading");
  // What is found sound stays so until the checksums are in it.
  std::optional<storage::WriterLock> lock;
  if (arguments.add_checksums && storage::is_series_file(arguments.path)) {
    lock = storage::take_file(arguments.path, {"weft verify --add-checksums"});
  }
  const verify::FileReport report = verify::check_file(arguments.path, options);
  json result = to_json(report);
  std::string text = to_text(report);
  if (arguments.add_checksums && report.sound()) {
    if (!lock) {
      throw Error(ErrorKind::usage, arguments.path, "is not a Weft file: checksums cannot be added to it in place",
                  "weft repack --checksums makes a copy with them");
    }
    const std::uint64_t sums =
        survey::add_checksums(*lock, arguments.path, options.budget_bytes, progress_to(self, "summing"));
    result["checksums_added"] = sums;
    text += fmt::format("{} checksums are in it now\n", format_count(sums));
  }
  return {arguments.json ? json_text(result) + "\n" : text, report.sound()};
}

Answer compare(const VerifyArguments& arguments, OwnProcess& self) {
  verify::ComparisonOptions options;
  options.strict = arguments.strict;
  options.budget_bytes = parse_bytes(arguments.budget);
  options.progress = progress_to(self, "comparing");
  const Comparison result = verify::compare_files(arguments.path, arguments.other, options);
  return {arguments.json ? json_text(to_json(result)) + "\n" : to_text(result, arguments.limit), result.equal()};
}

void run(const VerifyArguments& arguments) {
  const bool single = arguments.other.empty();
  if (!single && (arguments.quick || arguments.add_checksums)) {
    throw Error(ErrorKind::usage, arguments.quick ? "--quick" : "--add-checksums", "goes with one file",
                "leave the other out");
  }
  OwnProcessLimits limits;
  limits.compute_without_a_word = 60;  // listing a million objects takes its time
  limits.machine_memory_only = true;
  const std::string answer = in_own_process(
      arguments.path, true,
      [&](OwnProcess& self) {
        const Answer found = (single ? check : compare)(arguments, self);
        return (found.well ? "+" : "-") + found.text;
      },
      limits);
  fmt::print("{}", answer.substr(1));
  if (answer[0] != '+') throw CLI::RuntimeError(1);
}

}  // namespace

void add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "Check that a file is sound, or that two files hold the same data");
  const auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("file", arguments->path, "A Weft file or any other HDF5 file")->required();
  command->add_option("other", arguments->other, "A second file to compare with the first; their layouts may differ");
  command->add_option("--budget", arguments->budget, "The memory for values")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON");
  const char* one = "One file";
  command->add_flag("--quick", arguments->quick, "Check the metadata only, not chunks, checksums or mesh")->group(one);
  command
      ->add_flag("--add-checksums", arguments->add_checksums,
                 "If the Weft file is sound and no run is writing it, store a checksum of every chunk in it")
      ->group(one);
  const char* two = "Two files";
  command
      ->add_flag("--strict", arguments->strict,
                 "Also compare byte order, maximum extents, fill values and layout attributes")
      ->group(two);
  command->add_option("--limit", arguments->limit, "The largest number of differences to print")
      ->capture_default_str()
      ->group(two);
  command->footer(
      "Exit code: 0 where all is well, 1 where not.\n"
      "Examples:\n  weft verify heart.h5\n  weft verify heart.h5 copy.h5");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::cli
