#include "kernels/ecg/plain_source.hpp"

#include <limits>

#include "weft/support/error.hpp"
#include "weft/view/series_view.hpp"

namespace weft::kernels::ecg {

namespace {

DataType type_of(const storage::SeriesCatalog& catalog, const std::string& dataset) {
  for (const storage::SegmentEntry& segment : catalog.segments) {
    for (const storage::ArrayEntry& array : segment.fields) {
      if (array.path == dataset) return array.type;
    }
  }
  throw Error(ErrorKind::data, catalog.path, "has no dataset " + dataset);
}

}  // namespace

PlainSource::PlainSource(const SeriesReader& reader, PlainFile& file) : catalog_(reader.catalog()), file_(file) {
  if (catalog_.find_fixed("/mesh/points") == nullptr) {
    throw Error(ErrorKind::usage, catalog_.path, "has no mesh to put its fields on", "write it with --mesh box");
  }
  view_ = view::series_view(catalog_, reader.committed());
  times_ = reader.times();
  time_units_ = catalog_.fields[0].units;
}

std::uint64_t PlainSource::bridge_bytes() const { return std::numeric_limits<std::uint64_t>::max(); }

void PlainSource::read_parts(std::span<const Part> parts, std::span<std::byte> values) const {
  for (const Part& part : parts) {
    const std::string& dataset = part.stretch->dataset;
    const DataType type = type_of(catalog_, dataset);
    const std::uint64_t bytes = element_count(part.box.count) * size_of(type);
    file_.read(dataset, part.box, type, values.first(bytes));
    values = values.subspan(bytes);
  }
}

void PlainSource::stored_mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const {
  const storage::ArrayEntry* array = catalog_.find_fixed(path);
  if (array == nullptr) throw Error(ErrorKind::data, catalog_.path, "has no array " + path);
  // Whole rows of it: places come three by three.
  const std::uint64_t row_bytes = element_count(array->shape) / array->shape[0] * size_of(array->type);
  Box box = whole(array->shape);
  box.start[0] = offset / row_bytes;
  box.count[0] = values.size() / row_bytes;
  file_.read(path, box, array->type, values);
}

}  // namespace weft::kernels::ecg
