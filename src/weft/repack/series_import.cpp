#include "weft/repack/series_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "weft/series/mesh_share.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/series_mesh.hpp"

namespace weft::repack {

namespace {

namespace fs = std::filesystem;
using storage::FieldMap;

// One field, and the part of it that this rank reads and writes.
struct Moved {
  const FieldMap* from;
  std::string name;  // in the new file
  Box mine;          // of a step
  std::uint64_t step_bytes;
  Values<std::byte> window{};
};

// Even blocks along the longest of the axes that say which node. Of a global field rank 0 has all.
Box even_box(const FieldMap& field, int rank, int ranks) {
  Box box = whole(field.per_step);
  if (field.support == storage::Support::global) {
    if (rank > 0) std::fill(box.count.begin(), box.count.end(), 0);
    return box;
  }
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
      throw Error(ErrorKind::usage, request_.out, "is the file itself", "name another");
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
    find_places();
  }

  ImportReport run() {
    std::optional<storage::NewFile> made;  // under its name when it is whole
    agree_on(comm_, [&] {
      if (comm_.rank() != 0) return;
      made.emplace(request_.out, request_.if_exists, storage::LockWish{"weft import", request_.take_over});
    });
    SeriesWriter writer =
        SeriesWriter::create({std::shared_ptr<Communicator>(), &comm_}, storage::part_path(request_.out), spec());
    const std::uint64_t steps = reader_.committed();
    const std::vector<double> times = reader_.times();
    const std::uint64_t ahead = comm_.min(steps_ahead());  // all wait for the slowest
    ImportReport report;
    for (std::uint64_t first = 0; first < steps; first += ahead) {
      const std::uint64_t count = std::min(ahead, steps - first);
      agree_on(comm_, [&] {
        if (request_.stopped && request_.stopped()) {
          throw Error(ErrorKind::system, request_.out, "is not made: the import was interrupted", "begin it again");
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
    writer.close();
    agree_on(comm_, [&] {
      if (made) made->finish(false);
    });
    report.steps = steps;
    report.bytes = comm_.sum(report.bytes);
    for (const Moved& field : fields_) report.fields.push_back(field.name);
    report.left_out = left_out_;
    return report;
  }

 private:
  std::vector<std::string> chosen_names() const {
    std::vector<std::string> names = request_.fields;
    if (names.empty() && !reader_.named().empty()) names.push_back(reader_.named_field());
    for (const FieldMap& field : reader_.fields()) {
      if (request_.fields.empty() && reader_.named().empty()) names.push_back(field.name);
    }
    return names;
  }

  void add(const FieldMap& field) {
    Moved moved{&field, field.name, even_box(field, comm_.rank(), comm_.size()), 0};
    std::replace(moved.name.begin(), moved.name.end(), '/', '_');  // openPMD's fields/E/x
    moved.step_bytes = element_count(moved.mine.count) * size_of(field.type);
    if (field.subset == storage::Subset::listed) {
      left_out_.push_back(fmt::format("{}: stands on listed nodes", field.name));
    } else {
      fields_.push_back(std::move(moved));
    }
  }

  // The mesh that is named, or the file's own.
  void find_places() {
    if (fields_.empty()) throw Error(ErrorKind::usage, reader_.path(), "has no field that can be imported");
    if (!request_.mesh.empty()) {
      mesh_ = view::read_vtu(request_.mesh);
    } else if (has_mesh(reader_)) {
      mesh_ = read_mesh(reader_);
    }
    if (!mesh_) return;
    const std::uint64_t points = mesh_->points.size() / 3;
    const std::uint64_t cells = mesh_->cells.types.size();
    const auto stands = [&](const Moved& field) {
      return nodes_of(*field.from) == (field.from->support == storage::Support::cells ? cells : points);
    };
    if (std::any_of(fields_.begin(), fields_.end(), stands)) return;
    throw Error(ErrorKind::usage, request_.mesh.empty() ? reader_.path() : request_.mesh,
                fmt::format("the mesh has {} points, field '{}' has {} nodes", points, fields_[0].from->name,
                            nodes_of(*fields_[0].from)),
                "name the mesh it was computed on: --mesh mesh.vtu");
  }

  SeriesSpec spec() const {
    SeriesSpec spec;
    spec.steps = reader_.committed();
    spec.time_units = reader_.field("time").units;
    spec.options.budget_bytes = request_.budget_bytes / 2;
    spec.options.work = "weft import";
    spec.options.commit_seconds = 0;  // whoever is interrupted imports it again
    spec.options.commit_on_signals = false;
    spec.attributes["history"] = "weft import " + fs::path(request_.from).filename().string();
    if (mesh_) {
      spec.mesh = even_share(*mesh_, comm_.rank(), comm_.size());
    } else {
      spec.grid = reader_.map().grid;
    }
    for (const Moved& moved : fields_) {
      FieldSpec field;
      field.name = moved.name;
      field.type = moved.from->type;
      field.per_step = moved.from->per_step;
      field.support = moved.from->support;
      field.units = moved.from->units;
      field.components = moved.from->components;
      field.component_units = moved.from->component_units;
      field.layout = request_.layout;
      field.owned = partition::Ownership::box(field.per_step, moved.mine);
      spec.fields.push_back(std::move(field));
    }
    return spec;
  }

  // Half of the budget is for steps that were read; a chunk of the file should be read once.
  std::uint64_t steps_ahead() const {
    std::uint64_t step_bytes = 1;
    std::uint64_t chunk_steps = 1;
    for (const Moved& field : fields_) {
      step_bytes += field.step_bytes;
      const auto number = static_cast<std::size_t>(field.from - reader_.map().fields.data());
      chunk_steps = std::max(chunk_steps, reader_.map().segments[0].fields[number].chunk[0]);
    }
    const std::uint64_t fit = std::clamp<std::uint64_t>(request_.budget_bytes / 2 / step_bytes, 1, reader_.committed());
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
  std::vector<std::string> left_out_;
  std::optional<view::Mesh> mesh_;
};

}  // namespace

ImportReport import_series(Communicator& comm, const ImportRequest& request) {
  const Stopwatch clock;
  ReadOptions options;
  options.store = layout::Store{};  // all of it is read, in order
  options.choice = request.choice;
  Import work(comm, request, SeriesReader::open(comm, request.from, options));
  agree_on(comm, [&] { work.plan(); });
  ImportReport report = work.run();
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::repack
