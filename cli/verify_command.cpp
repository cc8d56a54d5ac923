#include "cli/verify_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/guarded.hpp"
#include "cli/text_table.hpp"
#include "weft/repack/comparison.hpp"
#include "weft/repack/pieces.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/quantity.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;
using repack::Comparison;
using repack::Problem;

struct VerifyArguments {
  std::string path;
  std::string other;
  std::string budget = "256MiB";
  bool strict = false;
  std::uint64_t limit = 20;
  bool json = false;
};

// Names in a damaged file may be of any bytes.
std::string dump(const json& report) { return report.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

json to_json(const std::vector<Problem>& problems) {
  json list = json::array();
  for (const Problem& problem : problems) list.push_back({{"path", problem.path}, {"what", problem.what}});
  return list;
}

json to_json(const Comparison& result) {
  json values = json::array();
  for (const repack::ValueDifference& one : result.values) {
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

std::string to_text(const Comparison& result, std::uint64_t limit) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Problem& one : result.differences) lines.emplace_back(one.path, one.what);
  for (const repack::ValueDifference& one : result.values) {
    lines.emplace_back(one.path,
                       fmt::format("{} of {} values differ, first at {}: {} / {}", format_count(one.differing),
                                   format_count(one.elements), repack::index_text(one.first), one.left, one.right));
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
      if (rows.size() < limit) rows.push_back({path, what});
    }
    for (auto& row : rows) {  // a name may hold a newline
      for (std::string& cell : row) std::replace(cell.begin(), cell.end(), '\n', ' ');
    }
    text += text_table(rows, 2);
    if (lines.size() > limit) {
      text += fmt::format("... and {} more: --limit {}\n", format_count(lines.size() - limit), lines.size());
    }
  }
  for (const std::string& line : result.left_out) text += fmt::format("not compared: {}\n", line);
  return text;
}

// A bar of bytes for whoever waits.
class BytesDone {
 public:
  explicit BytesDone(std::string what) : what_(std::move(what)) {}

  void operator()(std::uint64_t done, std::uint64_t total) {
    constexpr std::uint64_t kUnit = 1ULL << 20;
    if (!progress_) progress_ = std::make_unique<Progress>(what_, "MiB", total / kUnit, true);
    progress_->update(done / kUnit);
    still_working();
  }

 private:
  std::string what_;
  std::unique_ptr<Progress> progress_;
};

// Whether they hold the same.
bool compare(const VerifyArguments& arguments) {
  repack::ComparisonOptions options;
  options.strict = arguments.strict;
  options.budget_bytes = parse_bytes(arguments.budget);
  Comparison result;
  {
    BytesDone progress("comparing");
    options.progress = std::ref(progress);
    result = repack::compare_files(arguments.path, arguments.other, options);
  }
  fmt::print("{}", arguments.json ? dump(to_json(result)) : to_text(result, arguments.limit));
  return result.equal();
}

}  // namespace

void add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "Check that a file is sound, or that two files hold the same");
  const auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("file", arguments->path, "The file: Weft's or any HDF5 file")->required();
  command->add_option("other", arguments->other, "Another file, to be compared with it whatever their layouts");
  const auto option = [&](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str();
  };
  option("--budget", arguments->budget, "Memory for values");
  command->add_flag("--strict", arguments->strict,
                    "Two files: byte order, extents they may grow to, fill values and layout notes count too");
  option("--limit", arguments->limit, "Two files: differences that are printed");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Exit code: 0 where all is well, 1 where not.\nExample:\n  weft verify heart.h5 copy.h5");
  command->callback([arguments] {
    const int code = guarded(arguments->path, [&] { return compare(*arguments) ? 0 : 1; });
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace weft::cli
