#include "weft/repack/series_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "weft/reduce/field_choice.hpp"
#include "weft/repack/maps_again.hpp"
#include "weft/series/mesh_share.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/series_mesh.hpp"

namespace weft::repack {

namespace {

namespace fs = std::filesystem;
using storage::FieldEntry;

// One field, and the part of it that this rank reads and writes.
// Attributes that say how values were coded or chunked, or that name other datasets; the writer has its own of some.
const std::set<std::string> kOfTheOldFile{
    "units",     "scale_factor", "add_offset",    "_FillValue",          "missing_value",    "_Unsigned",
    "valid_min", "valid_max",    "valid_range",   "actual_range",        "_NCProperties",    "coordinates",
    "bounds",    "grid_mapping", "cell_measures", "ancillary_variables", "Variable Details", "axis"};

struct Moved {
  const FieldEntry* from;
  std::string name;  // in the new file
  Box mine;          // of a step
  std::uint64_t step_bytes;
  storage::Attributes attributes{};                   // of its dataset; rank 0's, which makes the file
  std::optional<std::vector<std::uint64_t>> nodes{};  // its rows stand for, where they are some of the mesh's
  Values<std::byte> window{};
};

std::string all_in_place_of(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Even blocks along the longest of the axes that say which node.
Box even_box(const FieldEntry& field, int rank, int ranks) {
  Box box = whole(field.per_step);
  if (field.support == storage::Support::global) return box;
  const auto places = field.per_step.begin() + static_cast<std::ptrdiff_t>(places_of(field).size());
  const auto axis = static_cast<std::size_t>(std::max_element(field.per_step.begin(), places) - field.per_step.begin());
  const partition::Block block = partition::even_block(field.per_step[axis], rank, ranks);
  box.start[axis] = block.first;
  box.count[axis] = block.count;
  return box;
}

class Import {
 public:
  Import(Communicator& comm, const ImportRequest& request, SeriesReader reader)
      : comm_(comm), request_(request), reader_(std::move(reader)) {}

  // Whatever can be refused is, before anything is made.
  void plan() {
    if (reader_.committed() == 0) throw Error(ErrorKind::data, reader_.path(), "has no steps to import");
    std::error_code error;
    if (fs::equivalent(request_.out, reader_.path(), error)) {
      throw Error(ErrorKind::usage, request_.out, "is the input file", "name another");
    }
    const std::vector<double> times = reader_.times();
    for (std::size_t step = 1; step < times.size(); ++step) {
      if (times[step] > times[step - 1]) continue;
      throw Error(ErrorKind::data, reader_.path(),
                  fmt::format("its times do not rise: step {} is at {}, step {} at {}", step - 1, times[step - 1], step,
                              times[step]),
                  "name other times: --time DATASET");
    }
    for (const std::string& name : chosen_names()) add(reader_.field(name));
    if (comm_.rank() == 0) read_attributes();
    find_places();
    if (fields_.empty()) {
      throw Error(ErrorKind::usage, reader_.path(), "has no field that can be imported", "weft info shows its fields");
    }
  }

  // Maps of the run are made again, as the steps go by. Collective.
  void plan_maps() {
    if (!reader_.is_weft()) return;
    MapsAgain maps = maps_again(comm_, reader_.catalog());
    for (reduce::RunReductionSpec& one : maps.made) {
      const auto fields = std::span(reader_.catalog().fields).subspan(1);
      const std::string& of = fields[reduce::choose_field(reader_.path(), fields, one.field).field].name;
      const bool moved = std::ranges::any_of(fields_, [&](const Moved& field) { return field.from->name == of; });
      if (moved) observers_.push_back(std::make_shared<reduce::RunReduction>(std::move(one)));
    }
    if (request_.fields.empty()) maps_left_out_ = std::move(maps.left_out);
  }

  ImportReport run() {
    std::optional<storage::NewFile> made;  // under its name when it is whole
    agree_on(comm_, [&] {
      if (comm_.rank() != 0) return;
      made.emplace(request_.out, request_.if_exists, storage::LockWish{"weft import", request_.take_over});
    });
    ImportReport report;
    try {
      write(report);
    } catch (const Error& error) {  // the file's own name, not that of the part
      const Error named(error.kind(), "",
                        all_in_place_of(error.what(), storage::part_path(request_.out), request_.out));
      throw error.is_agreed() ? named.agreed() : named;
    }
    agree_on(comm_, [&] {
      if (made) made->finish(false);
    });
    report.bytes = comm_.sum(report.bytes);
    for (const Moved& field : fields_) report.fields.push_back(field.name);
    if (reader_.foreign() != nullptr && request_.fields.empty()) report.left_out = reader_.foreign()->left_out;
    report.left_out.insert(report.left_out.end(), maps_left_out_.begin(), maps_left_out_.end());
    report.not_shown = not_shown_;
    return report;
  }

 private:
  void write(ImportReport& report) {
    const std::uint64_t ahead = comm_.min(steps_ahead());  // all wait for the slowest
    SeriesWriter writer =
        SeriesWriter::create({std::shared_ptr<Communicator>(), &comm_}, storage::part_path(request_.out), spec(ahead));
    mesh_.reset();
    cell_sizes_ = {};
    try {
      move(writer, ahead, report);
      writer.close();
    } catch (...) {
      writer.abandon();
      throw;
    }
  }

  void move(SeriesWriter& writer, std::uint64_t ahead, ImportReport& report) {
    const std::uint64_t steps = reader_.committed();
    const std::vector<double> times = reader_.times();
    for (std::uint64_t first = 0; first < steps; first += ahead) {
      const std::uint64_t count = std::min(ahead, steps - first);
      agree_on(comm_, [&] {
        if (request_.stopped && request_.stopped()) {
          throw Error(ErrorKind::system, request_.out, "is not made: the import was interrupted", "start it again");
        }
        for (Moved& field : fields_) report.bytes += read(field, first, count);
      });
      for (std::uint64_t step = 0; step < count; ++step) {
        for (const Moved& field : fields_) {
          if (field.step_bytes == 0) continue;
          writer.put_bytes(field.name, field.from->type,
                           std::span(field.window).subspan(step * field.step_bytes, field.step_bytes));
        }
        writer.end_step(times[first + step]);
      }
      if (request_.progress) request_.progress(first + count, steps);
    }
    report.steps = steps;
  }

  std::vector<std::string> chosen_names() const {
    std::vector<std::string> names = request_.fields;
    if (names.empty() && !reader_.named().empty()) names.push_back(reader_.named_field());
    for (const FieldEntry& field : reader_.fields()) {
      if (request_.fields.empty() && reader_.named().empty()) names.push_back(field.name);
    }
    return names;
  }

  void add(const FieldEntry& field) {
    if (std::any_of(fields_.begin(), fields_.end(), [&](const Moved& one) { return one.from == &field; })) return;
    Moved moved{&field, field.name, even_box(field, comm_.rank(), comm_.size()), 0};
    std::replace(moved.name.begin(), moved.name.end(), '/', '_');  // openPMD's fields/E/x
    while (!names_.insert(moved.name).second) moved.name += '_';
    moved.step_bytes = element_count(moved.mine.count) * size_of(field.type);
    if (field.support == storage::Support::global && comm_.rank() > 0) moved.step_bytes = 0;  // rank 0 has all
    if (field.subset != storage::Subset::all) moved.nodes = nodes_of_rows(field, moved.mine);
    fields_.push_back(std::move(moved));
  }

  std::vector<std::uint64_t> nodes_of_rows(const FieldEntry& field, const Box& mine) const {
    std::vector<std::uint64_t> all(field.per_step.at(0));
    if (field.subset == storage::Subset::listed) {
      reader_.read_fixed("/weft/subsets/" + field.name, std::as_writable_bytes(std::span(all)));
    } else {
      std::iota(all.begin(), all.end(), 0U);
    }
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(mine.start[0]);
    return {first, first + static_cast<std::ptrdiff_t>(mine.count[0])};
  }

  // The mesh that is named, or the file's own; else the largest of its grids.
  void find_places() {
    if (!request_.mesh.empty()) {
      mesh_ = view::read_vtu(request_.mesh);
    } else if (has_mesh(reader_)) {
      mesh_ = read_mesh(reader_);
    } else {
      find_grid();
    }
    if (mesh_) compare_with_mesh();
    if (!grid_.shape.empty()) compare_with_grid();
  }

  void find_grid() {
    if (reader_.is_weft()) {
      grid_ = reader_.catalog().grid;
      return;
    }
    for (const Moved& field : fields_) {
      const storage::RegularGrid& its = reader_.foreign()->grids.at(number_of(field));
      if (its.shape.empty()) continue;
      if (grid_.shape.empty() || element_count(its.shape) > element_count(grid_.shape)) grid_ = its;
    }
  }

  void compare_with_mesh() {
    const std::uint64_t points = mesh_->points.size() / 3;
    const std::uint64_t cells = mesh_->cells.types.size();
    bool shown = false;
    for (const Moved& field : fields_) {
      if (field.from->support == storage::Support::global) continue;
      const bool on_cells = field.from->support == storage::Support::cells;
      const std::uint64_t has = nodes_of(*field.from);
      const std::uint64_t there = on_cells ? cells : points;
      const bool fits = field.from->node_axes == 1 && (field.nodes ? has <= there : has == there);
      shown = shown || fits;
      if (fits) continue;
      not_shown_.push_back(
          field.from->node_axes > 1
              ? fmt::format("{}: stands on a grid of {}", field.name, to_string(places_of(*field.from)))
              : fmt::format("{}: has {} {}, the mesh {}", field.name, has, on_cells ? "cells" : "nodes", there));
    }
    if (shown || not_shown_.empty() || request_.mesh.empty()) return;
    throw Error(ErrorKind::usage, request_.mesh, "is not the mesh of these fields: " + not_shown_[0],
                "name the mesh they were computed on");
  }

  void compare_with_grid() {
    for (const Moved& field : fields_) {
      if (field.from->support == storage::Support::global || places_of(*field.from) == grid_.shape) continue;
      not_shown_.push_back(fmt::format("{}: stands on {}, the view's grid is {}", field.name,
                                       to_string(places_of(*field.from)), to_string(grid_.shape)));
    }
  }

  std::size_t number_of(const Moved& field) const {
    return static_cast<std::size_t>(field.from - reader_.catalog().fields.data());
  }

  SeriesSpec spec(std::uint64_t ahead) {
    SeriesSpec spec;
    spec.steps = reader_.committed();
    spec.time_units = reader_.field("time").units;
    spec.calendar = calendar_;
    spec.options.budget_bytes = request_.budget_bytes;
    spec.options.budget_used = ahead * bytes_of_a_step();
    spec.options.work = "weft import";
    spec.options.commit_seconds = 0;  // whoever is interrupted imports it again
    spec.options.commit_on_signals = false;
    spec.attributes["history"] = fmt::format("weft import {}{}{}", fs::path(reader_.path()).filename().string(),
                                             reader_.named().empty() ? "" : ":", reader_.named());
    spec.observers = observers_;
    if (mesh_) {
      spec.mesh = even_share(*mesh_, comm_.rank(), comm_.size(), cell_sizes_);
    } else {
      spec.grid = grid_;
    }
    for (const Moved& moved : fields_) {
      FieldSpec field;
      field.name = moved.name;
      field.type = moved.from->type;
      field.per_step = moved.from->per_step;
      field.support = moved.from->support;
      if (field.support != storage::Support::global) field.node_axes = moved.from->node_axes;
      field.units = moved.from->units;
      field.attributes = moved.attributes;
      field.components = moved.from->components;
      field.component_units = moved.from->component_units;
      field.layout = request_.layout;
      if (field.support != storage::Support::global) field.filters = request_.filters;
      field.owned = partition::Ownership::box(field.per_step, moved.mine);
      field.subset = moved.nodes;
      spec.fields.push_back(std::move(field));
    }
    return spec;
  }

  // What the datasets say beside their values ("standard_name", the calendar of the times), without what is true of the
  // old file alone.
  void read_attributes() {
    const std::vector<storage::ArrayEntry>& arrays = reader_.catalog().segments[0].fields;
    if (!arrays[0].path.empty()) {
      const storage::Attributes said = reader_.attributes(arrays[0].path);
      const auto found = said.find("calendar");
      const auto* name = found == said.end() ? nullptr : std::get_if<std::string>(&found->second);
      if (name != nullptr) calendar_ = *name;
    }
    for (Moved& moved : fields_) {
      moved.attributes = reader_.attributes(arrays[number_of(moved)].path);
      std::erase_if(moved.attributes, [](const auto& one) {
        return kOfTheOldFile.contains(one.first) || one.first.starts_with("weft_") || one.first.starts_with("_Netcdf4");
      });
    }
  }

  std::uint64_t bytes_of_a_step() const {
    std::uint64_t bytes = 0;
    for (const Moved& field : fields_) bytes += field.step_bytes;
    return bytes;
  }

  // A quarter of the budget is for steps that were read; a chunk of the file should be read once.
  std::uint64_t steps_ahead() const {
    std::uint64_t chunk_steps = 1;
    for (const Moved& field : fields_) {
      chunk_steps = std::max(chunk_steps, reader_.catalog().segments[0].fields[number_of(field)].chunk[0]);
    }
    const std::uint64_t step_bytes = std::max<std::uint64_t>(1, bytes_of_a_step());
    const std::uint64_t fit = std::clamp<std::uint64_t>(request_.budget_bytes / 4 / step_bytes, 1, reader_.committed());
    return fit < chunk_steps ? fit : fit / chunk_steps * chunk_steps;
  }

  std::uint64_t read(Moved& field, std::uint64_t first, std::uint64_t count) {
    if (field.step_bytes == 0) return 0;
    Box box = field.mine;
    box.start.insert(box.start.begin(), first);
    box.count.insert(box.count.begin(), count);
    field.window.resize(count * field.step_bytes);
    reader_.read(field.from->name, box, std::span<std::byte>(field.window));
    return field.window.size();
  }

  Communicator& comm_;
  const ImportRequest& request_;
  SeriesReader reader_;
  std::vector<Moved> fields_;
  std::set<std::string> names_{storage::kReservedNames.begin(), storage::kReservedNames.end()};
  std::vector<std::string> not_shown_;
  std::string calendar_;  // rank 0's, as the attributes
  std::vector<std::shared_ptr<series::WindowObserver>> observers_;
  std::vector<std::string> maps_left_out_;
  std::optional<view::Mesh> mesh_;  // until it is written
  std::vector<std::int64_t> cell_sizes_;
  storage::RegularGrid grid_;
};

}  // namespace

bool can_be_brought_over(const std::string& path, bool keeps_filters) {
  try {
    const SeriesReader reader = SeriesReader::open(path);
    if (!reader.is_weft() || reader.catalog().format_version != 1 || !reader.named().empty()) return false;
    const auto& fields = reader.catalog().segments.at(0).fields;
    return !keeps_filters || std::ranges::all_of(fields, [](const auto& field) { return field.filters.empty(); });
  } catch (const Error&) {
    return false;
  }
}

ImportReport import_series(Communicator& comm, const ImportRequest& request) {
  const Stopwatch clock;
  ReadOptions options;
  options.access = layout::AccessCost{};  // all of it is read, in order
  options.choice = request.choice;
  Import work(comm, request, SeriesReader::open(comm, request.from, options));
  agree_on(comm, [&] { work.plan(); });
  work.plan_maps();
  ImportReport report = work.run();
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::repack
