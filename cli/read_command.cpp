#include "cli/read_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/opened_apart.hpp"
#include "cli/value_output.hpp"
#include "weft/reading/open_for.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/storage/wrapped_stores.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/large_memory.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kMostTableRows = 24;

struct ReadCommandOptions {
  std::string path;
  std::string field;
  std::string trace;
  std::optional<std::uint64_t> snapshot;
  std::string box;
  std::string axes;
  std::string time;
  std::string latency;
  std::string bandwidth;
  std::string delay;
  bool measure = false;
  bool csv = false;
  bool json = false;
};

// What was asked of the store and of the system at one moment; the difference of two is what happened between.
struct Traffic {
  std::uint64_t reads = 0;
  std::uint64_t bytes = 0;
  std::uint64_t system_reads = 0;
  std::uint64_t system_bytes = 0;
};

class CountedFile {
 public:
  ReadOptions options(double delay_s) {
    ReadOptions options;
    options.counters = reached_;
    options.wrap = [asked = asked_, delay_s](std::unique_ptr<storage::ByteStore> file) {
      if (delay_s > 0) file = storage::delaying_store(std::move(file), delay_s, 0);
      return storage::counting_store(std::move(file), asked);
    };
    options.on_request = [asked = asked_, delay_s](std::uint64_t bytes) {
      if (delay_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(delay_s));
      ++asked->reads;
      asked->bytes_read += bytes;
    };
    return options;
  }
  Traffic now() const { return {asked_->reads, asked_->bytes_read, reached_->reads, reached_->bytes_read}; }

 private:
  std::shared_ptr<storage::RequestCounters> asked_ = std::make_shared<storage::RequestCounters>();
  std::shared_ptr<storage::SyscallCounters> reached_ = std::make_shared<storage::SyscallCounters>();
};

// "4,150,300" -> the place of a node on a grid; "12" -> the number of a node.
Shape parse_place(const std::string& text) {
  Shape place;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + comma, number);
    if (error != std::errc{} || end != text.data() + comma) {
      throw Error(ErrorKind::usage, fmt::format("--trace '{}'", text), "is not a node",
                  "give a node's number, or its place on a grid as z,y,x");
    }
    place.push_back(number);
    at = comma + 1;
  }
  return place;
}

reading::FieldRead read_of(const ReadCommandOptions& options) {
  reading::FieldRead read;
  if (!options.trace.empty()) read.trace = parse_place(options.trace);
  read.snapshot = options.snapshot;
  read.box = options.box;
  return read;
}

Selection selection_of(const reading::FieldRead& read) {
  if (read.trace) return Selection::trace;
  return read.snapshot ? Selection::snapshot : Selection::box;
}

reading::CostWish cost_of(const ReadCommandOptions& options) {
  reading::CostWish wish;
  wish.measure = options.measure;
  if (!options.latency.empty()) wish.latency_s = parse_seconds(options.latency);
  if (!options.bandwidth.empty()) wish.bandwidth = parse_rate(options.bandwidth);
  return wish;
}

json requests_json(const Traffic& before, const Traffic& after, const layout::ReadCost& predicted) {
  return {
      {"app", {{"reads", after.reads - before.reads}, {"bytes_read", after.bytes - before.bytes}}},
      {"syscall",
       {{"reads", after.system_reads - before.system_reads}, {"bytes_read", after.system_bytes - before.system_bytes}}},
      {"predicted", {{"requests", predicted.requests}, {"bytes", predicted.bytes}}},
      // The commit slots, the times, and the reads that measured the store.
      {"metadata", {{"reads", before.reads}, {"bytes_read", before.bytes}}}};
}

void run(const ReadCommandOptions& options) {
  CountedFile file;
  ReadOptions read_options = file.options(options.delay.empty() ? 0 : parse_seconds(options.delay));
  read_options.choice.axes = options.axes;
  if (!options.time.empty()) read_options.choice.time = options.time;
  try_to_open(options.path, read_options.choice, options.field);
  const CrashLine crash_line = reading_crash_line(options.path);
  const reading::FieldRead read = read_of(options);
  const reading::OpenedRead opened =
      reading::open_for(options.path, options.field, read, cost_of(options), std::move(read_options));
  const auto& [reader, field, box] = opened;

  ReadValues values{reader.field(field), selection_of(read), box, {}, {}};
  values.times = reader.read<double>("time", {{box.start[0]}, {box.count[0]}});
  values.bytes = make_values<std::byte>(element_count(box.count) * size_of(values.field.type));
  // Where compressed chunks lie is looked up for both, once: it is part of the time.
  const auto start = std::chrono::steady_clock::now();
  const layout::ReadCost predicted = reader.predicted(field, box);
  const Traffic before = file.now();
  reader.read(field, box, std::span(values.bytes));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Traffic after = file.now();

  if (options.csv) return print_csv(values);
  const layout::AccessCost& access = reader.access_cost();
  if (options.json) {
    std::vector<std::uint64_t> steps(box.count[0]);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = box.start[0] + i;
    return print_json(values, {{"file", reader.path()},
                               {"field", field},
                               {"dtype", name_of(values.field.type)},
                               {"units", values.field.units},
                               {"start", box.start},
                               {"count", box.count},
                               {"shape", shown_shape(values)},
                               {"steps", steps},
                               {"times", values.times},
                               {"seconds", seconds},
                               {"store", {{"latency_s", access.latency_s}, {"bandwidth", access.bandwidth}}},
                               {"requests", requests_json(before, after, predicted)}});
  }
  print_table(values, kMostTableRows);
  fmt::print("\n{} of {}: {} wanted, {} read in {} requests, {} (predicted {} in {} for {} a request, {}/s)\n",
             to_string(box.count), field, format_bytes(values.bytes.size()), format_bytes(after.bytes - before.bytes),
             format_count(after.reads - before.reads), format_seconds(seconds), format_bytes(predicted.bytes),
             format_count(predicted.requests), format_seconds(access.latency_s),
             format_bytes(static_cast<std::uint64_t>(access.bandwidth)));
  fmt::print("Every value, exactly: --csv or --json\n");
}

}  // namespace

void add_read_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("read", "Read a trace, a snapshot or a box of a field");
  const auto options = std::make_shared<ReadCommandOptions>();
  const CLI::Validator from_zero(  // CLI11 turns -1 into 2^64 - 1
      [](const std::string& text) { return text.starts_with('-') ? text + " is below 0" : std::string(); }, "");
  command->add_option("file", options->path, "The file, or FILE:DATASET")->required();
  command->add_option("--field", options->field, "The field [the only one]");
  command->add_option("--trace", options->trace, "All committed steps of one node: its number, or z,y,x on a grid");
  command->add_option("--snapshot", options->snapshot, "All nodes of one step")->check(from_zero);
  command->add_option("--box", options->box, "A range FIRST:END for each axis, steps first: 0:10,5:20,0:2");
  command->add_option("--axes", options->axes,
                      "The axes of a file that Weft did not write: z,y,x,time [as the file's convention says]");
  command->add_option("--time", options->time, "The dataset that holds the times [as the file's convention says]");
  CLI::Option* csv = command->add_flag("--csv", options->csv, "Print every value as CSV");
  command->add_flag("--json", options->json, "Print every value and the requests as JSON")->excludes(csv);
  command->add_option("--latency", options->latency, "The time of one request [the one the layout was chosen for]");
  command->add_option("--bandwidth", options->bandwidth,
                      "The bandwidth of the file system [the one the layout was chosen for]");
  command->add_flag("--measure", options->measure, "Measure latency and bandwidth on this file first");
  command->add_option("--delay", options->delay,
                      "Simulate a slow file system: every request takes at least this long, for example 1ms");
  command->footer(
      "Examples:\n"
      "  weft read series.h5 --field V --trace 12345\n"
      "  weft read series.h5 --field V --box 0:10,5:20 --csv\n"
      "  weft read ocean.nc --field temp --trace 4,150,300");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
