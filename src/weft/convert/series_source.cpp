// The steps of a file as a source, whoever wrote it: what reading/series_reader.hpp reads.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "weft/convert/step_source.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/support/error.hpp"
#include "weft/view/series_mesh.hpp"
#include "weft/view/series_view.hpp"
#include "weft/view/view_beside.hpp"

namespace weft::convert {

namespace {

using storage::ArrayEntry;
using storage::SeriesCatalog;

// A catalog as if the nodes stood on a line, for the formats that need no places.
SeriesCatalog on_a_line(const SeriesCatalog& catalog) {
  SeriesCatalog line = catalog;
  for (const storage::FieldEntry& field : catalog.fields) {
    if (field.support != storage::Support::nodes || field.per_step.empty()) continue;
    line.grid.shape = {field.per_step[0]};
    break;
  }
  return line;
}

class SeriesSource final : public StepSource {
 public:
  SeriesSource(SeriesReader reader, const std::string& mesh, std::span<const std::string> fields, bool without_places)
      : reader_(std::move(reader)), bytes_(storage::open_store(reader_.path(), storage::OpenMode::read)) {
    const SeriesCatalog& catalog = reader_.catalog();
    if (reader_.committed() == 0) {
      throw Error(ErrorKind::usage, catalog.path, "no steps are committed yet", "wait for the run's first window");
    }
    times_ = reader_.times();
    time_units_ = catalog.fields[0].units;
    find_datasets();
    has_places_ = !mesh.empty() || !catalog.grid.shape.empty() || has_mesh(reader_);
    if (!mesh.empty()) {
      const view::Mesh named = view::read_vtu(mesh);
      view_ = view::view_of(reader_, &named, mesh);
    } else if (!reader_.is_weft() && has_mesh(reader_)) {
      const view::Mesh own = read_mesh(reader_);
      view_ = view::view_of(reader_, &own, "");
    } else if (has_places_) {
      // The mesh of a field on listed nodes is cut out of the whole one: not for fields that nobody wants.
      const bool cut = fields.empty() || std::any_of(fields.begin(), fields.end(), [&](const std::string& name) {
                         const auto number = catalog.find_field(name);
                         return !number || catalog.fields[*number].subset != storage::Subset::all;
                       });
      view_ = view::series_view(catalog, reader_.committed(), cut ? view::reader_of(*bytes_) : view::ArrayReader{});
    } else if (without_places) {
      const SeriesCatalog line = on_a_line(catalog);
      view_ = view::series_view(line, reader_.committed());
      if (view_.blocks.empty()) globals_alone(catalog);
    } else if (reader_.is_weft()) {
      throw Error(ErrorKind::usage, catalog.path, "has no mesh to put its fields on", "convert it --to csv");
    } else {
      throw Error(ErrorKind::usage, catalog.path, "no mesh is named to put its fields on",
                  "add --mesh mesh.vtu, or convert it --to csv");
    }
    if (reader_.foreign() != nullptr && fields.empty()) {
      const std::vector<std::string>& lines = reader_.foreign()->left_out;
      view_.left_out.insert(view_.left_out.end(), lines.begin(), lines.end());
    }
    choose_fields(fields);
    find_bridge();
  }

  std::uint64_t bridge_bytes() const override { return bridge_bytes_; }

  ChunkShape chunk_of(const FieldGroup& group) const override {
    if (group.stretches.empty()) return {};
    const ArrayEntry& array = array_at(place_of(group.stretches[0].dataset));
    return {array.chunk[0], array.chunk.size() > 1 ? array.chunk[1] : 1};
  }

 private:
  struct ArrayPlace {
    std::size_t segment;
    std::size_t field;
  };

  void find_datasets() {
    const std::vector<storage::SegmentEntry>& segments = reader_.catalog().segments;
    for (std::size_t segment = 0; segment < segments.size(); ++segment) {
      for (std::size_t f = 1; f < segments[segment].fields.size(); ++f) {
        places_.try_emplace(segments[segment].fields[f].path, ArrayPlace{segment, f});
      }
    }
  }

  const ArrayPlace& place_of(const std::string& dataset) const {
    const auto found = places_.find(dataset);
    if (found == places_.end()) {
      throw Error(ErrorKind::data, reader_.path(), fmt::format("has no dataset {}", dataset));
    }
    return found->second;
  }

  const ArrayEntry& array_at(const ArrayPlace& place) const {
    return reader_.catalog().segments[place.segment].fields[place.field];
  }

  // By the names of the view, of the fields or of their datasets; of FILE:DATASET that one.
  void choose_fields(std::span<const std::string> fields) {
    const SeriesCatalog& catalog = reader_.catalog();
    std::vector<Alias> whole;
    for (std::size_t f = 1; f < catalog.fields.size(); ++f) {
      const std::string& dataset = catalog.segments.at(0).fields[f].path;
      whole.push_back({catalog.fields[f].name, dataset});
      whole.push_back({dataset, dataset});
    }
    std::vector<std::string> wanted(fields.begin(), fields.end());
    if (wanted.empty() && reader_.is_weft() && !reader_.named().empty()) wanted.push_back(reader_.named_field());
    choose(catalog.path, wanted, whole);
    if (fields.empty()) return;
    std::erase_if(view_.left_out, [&](const std::string& line) {  // what nobody asked for is not missed
      return std::none_of(fields.begin(), fields.end(),
                          [&](const std::string& name) { return line.starts_with(name + ":"); });
    });
  }

  // Where chunks come whole, rows of one chunk are read together, those far apart are not.
  void find_bridge() {
    const SeriesCatalog& catalog = reader_.catalog();
    bridge_bytes_ = reader_.access_cost().bridge_bytes();
    for (std::size_t f = 1; f < catalog.fields.size(); ++f) {
      const ArrayEntry& array = catalog.segments.at(0).fields[f];
      if (array.shape.size() < 2 || array.chunk == array.shape || reader_.reads_directly(catalog.fields[f].name))
        continue;
      const std::uint64_t row_bytes =
          element_count(array.shape) / array.shape[0] / array.shape[1] * size_of(array.type);
      bridge_bytes_ = std::max(bridge_bytes_, array.chunk[1] * row_bytes);
    }
  }

  // Of a file that has neither a mesh nor a field on nodes.
  void globals_alone(const SeriesCatalog& catalog) {
    SeriesCatalog point = catalog;
    point.grid.shape = {1};
    view_ = view::series_view(point, reader_.committed());
    view_.blocks.clear();
  }

  void read_parts(std::span<const Part> parts, std::span<std::byte> values) const override {
    if (parts.empty()) return;
    std::vector<Box> boxes;
    std::size_t field = 0;
    for (const Part& part : parts) {  // all of one group, which has one dataset a segment
      const ArrayPlace& place = place_of(part.stretch->dataset);
      field = place.field;
      boxes.push_back(part.box);
      boxes.back().start[0] += reader_.catalog().segments[place.segment].first_step;
    }
    reader_.read(reader_.catalog().fields[field].name, boxes, values);
  }

  void stored_mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const override {
    const ArrayEntry* array = reader_.catalog().find_fixed(path);
    if (array == nullptr) throw Error(ErrorKind::data, reader_.path(), fmt::format("has no array {}", path));
    bytes_->read_at(array->address() + offset, values);
  }

  SeriesReader reader_;
  std::unique_ptr<storage::ByteStore> bytes_;
  std::map<std::string, ArrayPlace> places_;  // by the dataset's path
  std::uint64_t bridge_bytes_ = 0;
};

}  // namespace

std::unique_ptr<StepSource> open_series_source(Communicator& comm, const SourceFile& file,
                                               std::span<const std::string> fields, bool without_places) {
  ReadOptions options;
  options.choice = file.choice;
  SeriesReader reader = SeriesReader::open(comm, file.path, options);
  std::unique_ptr<StepSource> source;
  agree_on(comm,
           [&] { source = std::make_unique<SeriesSource>(std::move(reader), file.mesh, fields, without_places); });
  return source;
}

}  // namespace weft::convert
