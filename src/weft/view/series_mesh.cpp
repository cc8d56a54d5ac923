#include "weft/view/series_mesh.hpp"

#include <fmt/format.h>

#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/axis_conventions.hpp"
#include "weft/survey/open_file.hpp"

namespace weft {

namespace {

using storage::Handle;

const std::string kPoints = "/mesh/points";

// A VTKHDF UnstructuredGrid of one part, which is the same at every step. Another program's arrays may be of any number
// type, filtered, or in chunks: HDF5 reads them.
class VtkhdfMesh {
 public:
  explicit VtkhdfMesh(const std::string& path) : path_(path), file_(survey::open_file(path)) {}

  bool is_there() const {
    const auto one = [&](const char* name) { return survey::extents_at(file_, name) == Shape{1}; };
    return one("/VTKHDF/NumberOfPoints") && one("/VTKHDF/NumberOfCells") &&
           survey::extents_at(file_, "/VTKHDF/Points").has_value();
  }

  view::Mesh read() const {
    view::Mesh mesh;
    mesh.points = array<double>("/VTKHDF/Points", H5T_NATIVE_DOUBLE);
    mesh.cells.types = array<std::uint8_t>("/VTKHDF/Types", H5T_NATIVE_UINT8);
    mesh.cells.connectivity = array<std::int64_t>("/VTKHDF/Connectivity", H5T_NATIVE_INT64);
    mesh.cells.offsets = array<std::int64_t>("/VTKHDF/Offsets", H5T_NATIVE_INT64);
    check(mesh);
    return mesh;
  }

 private:
  template <typename T>
  std::vector<T> array(const std::string& name, hid_t type) const {
    const std::optional<Shape> shape = survey::extents_at(file_, name);
    if (!shape) throw damaged(name + " is missing");
    std::vector<T> values(element_count(*shape));
    const Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT));
    storage::check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), path_,
                        "cannot read " + name, ErrorKind::data);
    return values;
  }

  void check(const view::Mesh& mesh) const {
    const view::Cells& cells = mesh.cells;
    if (mesh.points.size() % 3 != 0) throw damaged("/VTKHDF/Points does not hold three coordinates for each point");
    if (cells.offsets.size() != cells.types.size() + 1) throw damaged("/VTKHDF/Offsets is not one longer than Types");
    const auto points = static_cast<std::int64_t>(mesh.points.size() / 3);
    for (std::size_t cell = 0; cell < cells.types.size(); ++cell) {
      if (cells.offsets[cell] > cells.offsets[cell + 1]) throw damaged("/VTKHDF/Offsets falls");
    }
    if (cells.offsets.front() != 0 || cells.offsets.back() != static_cast<std::int64_t>(cells.connectivity.size())) {
      throw damaged("/VTKHDF/Offsets does not fit Connectivity");
    }
    for (const std::int64_t point : cells.connectivity) {
      if (point < 0 || point >= points) throw damaged(fmt::format("a cell has point {} of {}", point, points));
    }
  }

  Error damaged(const std::string& what) const {
    return {ErrorKind::data, path_, what, "name a mesh: --mesh mesh.vtu"};
  }

  std::string path_;
  Handle file_;
};

bool is_vtkhdf(const SeriesReader& reader) {
  return reader.foreign() != nullptr && reader.foreign()->convention == survey::Convention::vtkhdf &&
         reader.catalog().grid.shape.empty();
}

}  // namespace

bool has_mesh(const SeriesReader& reader) {
  if (!is_vtkhdf(reader)) return reader.catalog().find_fixed(kPoints) != nullptr;
  const storage::QuietHdf5 quiet;
  return VtkhdfMesh(reader.path()).is_there();
}

view::Mesh read_mesh(const SeriesReader& reader) {
  if (!has_mesh(reader)) throw Error(ErrorKind::usage, reader.path(), "has no mesh", "name one: --mesh mesh.vtu");
  if (is_vtkhdf(reader)) {
    const storage::QuietHdf5 quiet;
    return VtkhdfMesh(reader.path()).read();
  }
  const auto read = [&]<typename T>(const std::string& path, std::vector<T>& values) {
    const storage::ArrayEntry* array = reader.catalog().find_fixed(path);
    if (array == nullptr) return;  // points alone
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
