#include "weft/view/series_mesh.hpp"

#include "weft/support/error.hpp"

namespace weft {

namespace {

const std::string kPoints = "/mesh/points";

}  // namespace

bool has_mesh(const SeriesReader& reader) { return reader.map().find_fixed(kPoints) != nullptr; }

view::Mesh read_mesh(const SeriesReader& reader) {
  const auto read = [&]<typename T>(const std::string& path, std::vector<T>& values) {
    const storage::ArrayMap* array = reader.map().find_fixed(path);
    if (array == nullptr) throw Error(ErrorKind::usage, reader.path(), "has no mesh", "name one: --mesh mesh.vtu");
    values.resize(element_count(array->shape));
    reader.read_fixed(path, std::as_writable_bytes(std::span(values)));
  };
  view::Mesh mesh;
  read(kPoints, mesh.points);
  read("/mesh/offsets", mesh.cells.offsets);
  read("/mesh/connectivity", mesh.cells.connectivity);
  read("/mesh/types", mesh.cells.types);
  return mesh;
}

}  // namespace weft
