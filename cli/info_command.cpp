#include "cli/info_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/json_text.hpp"
#include "cli/opened_apart.hpp"
#include "cli/text_table.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct InfoOptions {
  std::string path;
  bool json = false;
};

// A field as a person and a program want to see it: its dataset over all steps.
struct FieldView {
  const storage::FieldEntry& field;
  const storage::ArrayEntry& first_segment;
  Shape shape;
};

std::vector<FieldView> views_of(const SeriesReader& reader) {
  std::vector<FieldView> views;
  for (std::size_t number = 1; number < reader.catalog().fields.size(); ++number) {  // 0 is "time"
    const storage::FieldEntry& field = reader.catalog().fields[number];
    Shape shape = field.per_step;
    shape.insert(shape.begin(), reader.steps());
    views.push_back({field, reader.catalog().segments[0].fields[number], shape});
  }
  return views;
}

json rationale_of(const storage::FieldEntry& field) {
  json rationale = json::parse(field.rationale, nullptr, false);
  return rationale.is_object() ? rationale : json::object();
}

// Null where the nodes are those of a mesh, or of nothing that is known.
json grid_json(const storage::RegularGrid& grid) {
  if (grid.shape.empty()) return nullptr;
  return {{"shape", grid.shape}, {"origin", grid.origin}, {"spacing", grid.spacing}};
}

json to_json(const SeriesReader& reader) {
  json fields = json::array();
  for (const FieldView& view : views_of(reader)) {
    json entry = {{"name", view.field.name},
                  {"shape", view.shape},
                  {"dtype", name_of(view.field.type)},
                  {"chunk", view.first_segment.chunk},
                  {"filters", view.first_segment.filters},
                  {"support", name_of(view.field.support)},
                  {"units", view.field.units}};
    if (const json rationale = rationale_of(view.field); !rationale.empty()) entry["layout"] = rationale;
    fields.push_back(std::move(entry));
  }
  json segments = json::array();
  for (const storage::SegmentEntry& segment : reader.catalog().segments) {
    segments.push_back({{"first_step", segment.first_step}, {"steps", segment.steps}});
  }
  json arrays = json::array();
  for (const storage::ArrayEntry& array : reader.catalog().fixed_arrays) {
    arrays.push_back({{"path", array.path}, {"shape", array.shape}, {"dtype", name_of(array.type)}});
  }
  json time = {{"first", nullptr}, {"last", nullptr}, {"units", reader.field("time").units}};
  if (const std::vector<double> times = reader.times(); !times.empty()) {
    time["first"] = times.front();
    time["last"] = times.back();
  }
  return {{"file", reader.path()},
          {"created_by", reader.catalog().created_by},
          {"format_version", reader.catalog().format_version},
          {"steps", reader.steps()},
          {"committed", reader.committed()},
          {"time", time},
          {"fields", fields},
          {"segments", segments},
          {"arrays", arrays},
          {"grid", grid_json(reader.catalog().grid)},
          {"left_out", reader.is_weft() ? std::vector<std::string>{} : reader.foreign()->left_out}};
}

// Where its nodes are.
std::string grid_line(const storage::RegularGrid& grid) {
  if (grid.shape.empty()) return {};
  const auto places = [](const std::array<double, 3>& xyz) {
    return fmt::format("({:g}, {:g}, {:g})", xyz[0], xyz[1], xyz[2]);
  };
  return fmt::format("the nodes are a grid of {}: from x, y, z {} in steps of {}\n", to_string(grid.shape),
                     places(grid.origin), places(grid.spacing));
}

// What the layout of a field promises: the reads it was designed for, as `weft layout` predicted them.
std::string predicted_reads(const storage::FieldEntry& field) {
  const json rationale = rationale_of(field);
  if (!rationale.contains("reads") || !rationale["reads"].is_object()) return {};
  std::vector<std::string> reads;
  for (const auto& [name, read] : rationale["reads"].items()) {
    reads.push_back(fmt::format("{} {} requests, {}", name, format_count(read.value("requests", std::uint64_t{0})),
                                format_bytes(read.value("bytes", std::uint64_t{0}))));
  }
  return fmt::format("{}: laid out for {}\n", field.name, fmt::join(reads, "; "));
}

std::string to_text(const SeriesReader& reader) {
  std::string text = reader.is_weft() ? fmt::format("{}: written by {}, format {}\n", reader.path(),
                                                    reader.catalog().created_by, reader.catalog().format_version)
                                      : fmt::format("{}: not written by Weft; its axes: {}\n", reader.path(),
                                                    survey::name_of(reader.foreign()->convention));
  text += fmt::format("{} of {} steps committed", format_count(reader.committed()), format_count(reader.steps()));
  if (const std::vector<double> times = reader.times(); !times.empty()) {
    const std::string& units = reader.field("time").units;
    text += fmt::format(", time {} to {}{}{}", times.front(), times.back(), units.empty() ? "" : " ", units);
  }
  if (!reader.is_weft() && reader.catalog().segments.size() > 1) {
    text += ", each a dataset of its own";
  } else if (reader.catalog().segments.size() > 1) {
    text += fmt::format(", in {} segments", reader.catalog().segments.size());
  }
  text += "\n";
  const std::vector<FieldView> views = views_of(reader);
  if (views.empty()) return text;

  std::vector<std::vector<std::string>> rows{{"field", "on", "dtype", "units", "shape", "chunk", "chunk bytes"}};
  for (const FieldView& view : views) {
    const std::uint64_t chunk_bytes = element_count(view.first_segment.chunk) * size_of(view.field.type);
    rows.push_back({view.field.name, std::string(name_of(view.field.support)), std::string(name_of(view.field.type)),
                    view.field.units.empty() ? "-" : view.field.units, to_string(view.shape),
                    to_string(view.first_segment.chunk), format_bytes(chunk_bytes)});
  }
  text += "\n" + text_table(rows, 4);
  std::string notes = grid_line(reader.catalog().grid);
  if (!reader.is_weft()) notes += listed("left out", reader.foreign()->left_out);
  if (!notes.empty()) text += "\n" + notes;
  std::string promises;
  for (const FieldView& view : views) promises += predicted_reads(view.field);
  if (!promises.empty()) text += "\n" + promises;
  text +=
      fmt::format("\nNext: weft read {} --field {} --trace 0\n", quoted(reader.path()), quoted(views[0].field.name));
  return text;
}

void run(const InfoOptions& options) {
  ReadOptions read_options;
  read_options.access = layout::AccessCost{};  // nothing long is read: no need to measure
  // HDF5 crashes over some damaged files, or never comes back.
  const auto look = [&](OwnProcess&) {
    const SeriesReader reader = SeriesReader::open(options.path, read_options);
    return options.json ? json_text(to_json(reader)) + "\n" : to_text(reader);
  };
  fmt::print("{}", in_own_process(options.path, false, look, opening_limits(options.path)));
}

}  // namespace

void add_info_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("info", "Show what a Weft file holds, what wrote it and how many steps are committed");
  const auto options = std::make_shared<InfoOptions>();
  command->add_option("file", options->path, "The file")->required();
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  weft info series.h5");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
