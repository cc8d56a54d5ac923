// A Weft file as a source: its own map says where every value lies.
#include <fmt/format.h>

#include <algorithm>

#include "weft/convert/step_source.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/storage/read_executor.hpp"
#include "weft/storage/read_plan.hpp"
#include "weft/support/error.hpp"
#include "weft/view/weft_view.hpp"

namespace weft::convert {

namespace {

using storage::ArrayMap;
using storage::SeriesMap;

// A map as if the nodes stood on a line, for the formats that need no places.
SeriesMap on_a_line(const SeriesMap& map) {
  SeriesMap line = map;
  for (const storage::FieldMap& field : map.fields) {
    if (field.support != storage::Support::nodes || field.per_step.empty()) continue;
    line.grid.shape = {field.per_step[0]};
    break;
  }
  return line;
}

class WeftSource final : public StepSource {
 public:
  WeftSource(SeriesReader reader, std::span<const std::string> fields, bool without_places)
      : reader_(std::move(reader)), bytes_(storage::open_posix(reader_.path(), storage::OpenMode::read)) {
    const SeriesMap& map = reader_.map();
    if (!reader_.is_weft()) {
      throw Error(ErrorKind::usage, map.path, "is not a Weft file",
                  "name its field and its mesh: --dataset /Data --mesh heart.vtu");
    }
    if (reader_.committed() == 0) {
      throw Error(ErrorKind::usage, map.path, "no steps are committed yet", "wait for the run's first window");
    }
    times_ = reader_.times();
    time_units_ = map.fields[0].units;
    const std::vector<Alias> whole = datasets(map);
    const view::ArrayReader read = view::reader_of(*bytes_);
    has_places_ = !map.grid.shape.empty() || map.find_fixed("/mesh/points") != nullptr;
    if (has_places_) {
      // The mesh of a field on listed nodes is cut out of the whole one: not for fields that nobody wants.
      const bool cut = fields.empty() || std::any_of(fields.begin(), fields.end(), [&](const std::string& name) {
                         const auto number = map.find_field(name);
                         return !number || map.fields[*number].subset != storage::Subset::all;
                       });
      view_ = view::weft_view(map, reader_.committed(), cut ? read : view::ArrayReader{});
    } else if (without_places) {
      const SeriesMap line = on_a_line(map);
      view_ = view::weft_view(line, reader_.committed());
      if (view_.blocks.empty()) globals_alone(map);
    } else {
      throw Error(ErrorKind::usage, map.path, "has no mesh to put its fields on", "convert it --to csv");
    }
    choose(map.path, fields, whole);
    if (!fields.empty()) {  // what nobody asked for is not missed
      std::erase_if(view_.left_out, [&](const std::string& line) {
        return std::none_of(fields.begin(), fields.end(),
                            [&](const std::string& name) { return line.starts_with(name + ":"); });
      });
    }
  }

  std::uint64_t bridge_bytes() const override { return reader_.store().bridge_bytes(); }

  ChunkShape chunk_of(const FieldGroup& group) const override {
    if (group.stretches.empty()) return {};
    const ArrayMap& array = array_at(group.stretches[0].dataset);
    return {array.chunk[0], array.chunk.size() > 1 ? array.chunk[1] : 1};
  }

 private:
  static std::vector<Alias> datasets(const SeriesMap& map) {
    std::vector<Alias> all;
    for (std::size_t f = 1; f < map.fields.size(); ++f) {
      all.push_back({map.fields[f].name, map.segments.at(0).fields[f].path});
    }
    return all;
  }

  // Of a file that has neither a mesh nor a field on nodes.
  void globals_alone(const SeriesMap& map) {
    SeriesMap point = map;
    point.grid.shape = {1};
    view_ = view::weft_view(point, reader_.committed());
    view_.blocks.clear();
  }

  const ArrayMap& array_at(const std::string& path) const {
    for (const storage::SegmentMap& segment : reader_.map().segments) {
      for (const ArrayMap& array : segment.fields) {
        if (array.path == path) return array;
      }
    }
    throw Error(ErrorKind::data, reader_.path(), fmt::format("has no dataset {}", path));
  }

  void read_parts(std::span<const Part> parts, std::span<std::byte> values) const override {
    storage::ReadPlan plan;
    for (const Part& part : parts)
      storage::append_read(plan, array_at(part.stretch->dataset), part.box, reader_.store());
    storage::execute_read(plan, *bytes_, reader_.store(), values);
  }

  void stored_mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const override {
    const ArrayMap* array = reader_.map().find_fixed(path);
    if (array == nullptr) throw Error(ErrorKind::data, reader_.path(), fmt::format("has no array {}", path));
    bytes_->read_at(array->address() + offset, values);
  }

  SeriesReader reader_;
  std::unique_ptr<storage::ByteStore> bytes_;
};

}  // namespace

std::unique_ptr<StepSource> open_weft_source(Communicator& comm, const std::string& path,
                                             std::span<const std::string> fields, bool without_places) {
  SeriesReader reader = SeriesReader::open(comm, path);
  std::unique_ptr<StepSource> source;
  agree_on(comm, [&] { source = std::make_unique<WeftSource>(std::move(reader), fields, without_places); });
  return source;
}

}  // namespace weft::convert
