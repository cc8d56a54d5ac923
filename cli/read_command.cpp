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

// "0:10,5,:" -> [0, 10), [5, 6) and all of the third axis of `shape`.
Box parse_box(std::string_view text, const Shape& shape) {
  const auto bad = [&](std::string_view why) {
    return Error(ErrorKind::usage, fmt::format("box '{}'", text), why,
                 fmt::format("write FIRST:END for each axis of {} with commas between, as in 0:10,5:20; ':' is a whole "
                             "axis, one number a single index",
                             to_string(shape)));
  };
  const auto parse = [&](std::string_view number, std::uint64_t fallback) {
    if (number.empty()) return fallback;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size()) throw bad("is not a box");
    return value;
  };
  Box box;
  std::string_view rest = text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (axis + 1 == shape.size())) throw bad("has another number of axes");
    const std::string_view part = rest.substr(0, comma);
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
    const std::size_t colon = part.find(':');
    if (part.empty()) throw bad("has an empty axis");
    const std::uint64_t first = parse(part.substr(0, colon), 0);
    const std::uint64_t end = colon == std::string_view::npos ? first + 1 : parse(part.substr(colon + 1), shape[axis]);
    if (end <= first) throw bad(fmt::format("is empty along axis {}", axis));
    box.start.push_back(first);
    box.count.push_back(end - first);
  }
  return box;
}

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

std::pair<Selection, Box> chosen_box(const ReadCommandOptions& options, const SeriesReader& reader,
                                     const std::string& field) {
  const int choices = (options.trace.empty() ? 0 : 1) + (options.snapshot ? 1 : 0) + (options.box.empty() ? 0 : 1);
  if (choices != 1) {
    throw Error(ErrorKind::usage, {}, "needs exactly one of --trace, --snapshot and --box",
                fmt::format("try: weft read {} --field {} --trace 0", reader.path(), field));
  }
  if (reader.committed() == 0) {
    throw Error(ErrorKind::data, reader.path(), fmt::format("none of its {} steps is committed yet", reader.steps()),
                "wait until the simulation has written a step");
  }
  if (!options.trace.empty()) return {Selection::trace, reader.trace_box(field, parse_place(options.trace))};
  if (options.snapshot) return {Selection::snapshot, reader.snapshot_box(field, *options.snapshot)};
  Shape committed_shape = reader.field(field).per_step;
  committed_shape.insert(committed_shape.begin(), reader.committed());
  Box box = parse_box(options.box, committed_shape);
  reader.check_box(field, box);
  return {Selection::box, box};
}

layout::AccessCost chosen_access_cost(const ReadCommandOptions& options, const SeriesReader& reader,
                                      const std::string& field) {
  layout::AccessCost access = options.measure ? reader.access_cost() : reader.recorded_access_cost(field);
  if (!options.latency.empty()) access.latency_s = parse_seconds(options.latency);
  if (!options.bandwidth.empty()) access.bandwidth = parse_rate(options.bandwidth);
  return access;
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
  if (!options.measure) read_options.access = layout::AccessCost{};  // until the field's own is known
  read_options.choice.axes = options.axes;
  if (!options.time.empty()) read_options.choice.time = options.time;
  try_to_open(options.path, read_options.choice, options.field);
  const CrashLine crash_line = reading_crash_line(options.path);
  SeriesReader reader = SeriesReader::open(options.path, std::move(read_options));
  const std::string field = reader.chosen_field(options.field);
  const auto [selection, box] = chosen_box(options, reader, field);
  reader.use_access_cost(chosen_access_cost(options, reader, field));

  ReadValues values{reader.field(field), selection, box, {}, {}};
  values.times = reader.read<double>("time", {{box.start[0]}, {box.count[0]}});
  values.bytes = make_values<std::byte>(element_count(box.count) * size_of(values.field.type));
  const layout::ReadCost predicted = reader.predicted(field, box);
  const Traffic before = file.now();
  const auto start = std::chrono::steady_clock::now();
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
  command->add_option("--field", options->field, "The field; may be left out where there is one");
  command->add_option("--trace", options->trace, "One node, all committed steps: its number, or z,y,x on a grid");
  command->add_option("--snapshot", options->snapshot, "One step, all nodes")->check(from_zero);
  command->add_option("--box", options->box, "FIRST:END for each axis, steps first, as in 0:10,5:20,0:2");
  command->add_option(
      "--axes", options->axes,
      "What the axes of a file are that Weft did not write, as in z,y,x,time [as its convention has it]");
  command->add_option("--time", options->time, "The dataset of its times [as its convention has it]");
  CLI::Option* csv = command->add_flag("--csv", options->csv, "Print every value as CSV");
  command->add_flag("--json", options->json, "Print every value, and the requests made, as JSON")->excludes(csv);
  command->add_option("--latency", options->latency, "What a request costs [what the field was laid out for]");
  command->add_option("--bandwidth", options->bandwidth, "How fast bytes come [what the field was laid out for]");
  command->add_flag("--measure", options->measure, "Measure both on the file first");
  command->add_option("--delay", options->delay, "Simulate a slow store: every request takes so long, as in 1ms");
  command->footer(
      "Examples:\n"
      "  weft read series.h5 --field V --trace 12345\n"
      "  weft read series.h5 --field V --box 0:10,5:20 --csv\n"
      "  weft read ocean.nc --field temp --trace 4,150,300");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
