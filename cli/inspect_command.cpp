#include "cli/inspect_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/inspection_text.hpp"
#include "cli/json_text.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/own_process.hpp"

namespace weft::cli {

namespace {

// Together, however many datasets are shown.
constexpr double kSecondsToMeasure = 5;

// The options as typed; parsed when the command runs, so that a bad one ends in weft's own error line.
struct InspectOptions {
  std::string path;
  std::vector<std::string> datasets;
  std::string axes;
  std::string reads;
  std::int64_t ranks = 16;  // signed, so that -1 is refused and not read as 2^64 - 1
  std::string latency = "1ms";
  std::string bandwidth = "1GB/s";
  std::string target = "1MiB";
  bool measure = false;
  bool json = false;
};

inspect::FileQuestion question_from(const InspectOptions& options) {
  inspect::FileQuestion file{options.path, options.datasets, options.axes};
  inspect::Question& question = file.question;
  question.reads = options.reads;
  if (options.ranks < 1) {
    throw Error(ErrorKind::usage, "--ranks", fmt::format("{} cannot be used", options.ranks), "give 1 or more");
  }
  question.ranks = static_cast<std::uint64_t>(options.ranks);
  question.access.latency_s = parse_seconds(options.latency);
  question.access.bandwidth = parse_rate(options.bandwidth);
  question.target_bytes = parse_bytes(options.target);
  return file;
}

void measure_shown(InspectionReport& report, OwnProcess& self) {
  const std::vector<const inspect::Inspection*> shown = shown_with_reads(report);
  report.measured_access_cost = inspect::measured_access_cost(report.question.path);
  inspect::Measuring how{report.question.path, *report.measured_access_cost, report.question.question.hdf5};
  how.seconds = kSecondsToMeasure / static_cast<double>(std::max<std::size_t>(1, shown.size()));
  how.at = [&](const std::string& path) { self.at(path); };
  self.phase("measuring", "sample", 0);
  for (const inspect::Inspection* one : shown) report.measured.emplace(one->facts.path, inspect::measure(*one, how));
}

std::string report_on(const InspectOptions& options, inspect::FileQuestion question, OwnProcess& self) {
  question.question.hdf5 = inspect::hdf5_reader_here();
  if (!options.json) question.most_priced = kMostWithReads;
  InspectionReport report{question, inspect::inspect_file(question, &self)};
  if (options.measure) measure_shown(report, self);
  // File and dataset names are bytes: what is no UTF-8 among them is shown as such.
  return options.json ? json_text(to_json(report)) + "\n" : inspection_text(report);
}

void run(const InspectOptions& options) {
  const inspect::FileQuestion question = question_from(options);
  fmt::print("{}",
             in_own_process(options.path, true, [&](OwnProcess& self) { return report_on(options, question, self); }));
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Show what an HDF5 file holds, what each kind of read costs, and how to make it faster");
  const auto options = std::make_shared<InspectOptions>();
  command->add_option("file", options->path, "Any HDF5 file")->required();
  command->add_option("--dataset", options->datasets, "Inspect only this dataset, for example /Data; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--axes", options->axes,
                      "The axes, if the file does not name them: step,node,component. They are those of --dataset, or "
                      "of the largest dataset of this rank");
  command->add_option(
      "--read", options->reads,
      "The reads to plan for, as in weft layout [snapshot=1,trace=1; the costs of blocks and planes are shown too]");
  command
      ->add_option("--ranks", options->ranks, "The number of ranks that share the nodes; a block is one rank's share")
      ->capture_default_str();
  command->add_option("--latency", options->latency, "The time of one request")->capture_default_str();
  command->add_option("--bandwidth", options->bandwidth, "The bandwidth of the file system")->capture_default_str();
  command->add_option("--target", options->target, "The largest size of a chunk")->capture_default_str();
  command->add_flag("--measure", options->measure,
                    "Measure each kind of read on a sample for a few seconds, with a cold cache if permitted");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  weft inspect results.h5 --read snapshot=1,trace=4 --measure");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
