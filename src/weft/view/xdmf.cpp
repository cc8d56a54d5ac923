#include "weft/view/xdmf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "weft/support/error.hpp"
#include "weft/view/xml_text.hpp"

namespace weft::view {

namespace {

// VTK's cell type, XDMF's name of it and its number in mixed arrays. Those of any length say it behind the number.
struct CellName {
  std::uint8_t vtk;
  const char* name;
  std::int64_t number;
  bool any_length;
};
constexpr std::array<CellName, 17> kCells{{{1, "Polyvertex", 1, true},
                                           {2, "Polyvertex", 1, true},
                                           {3, "Polyline", 2, true},
                                           {4, "Polyline", 2, true},
                                           {7, "Polygon", 3, true},
                                           {5, "Triangle", 4, false},
                                           {9, "Quadrilateral", 5, false},
                                           {10, "Tetrahedron", 6, false},
                                           {14, "Pyramid", 7, false},
                                           {13, "Wedge", 8, false},
                                           {12, "Hexahedron", 9, false},
                                           {21, "Edge_3", 34, false},
                                           {22, "Triangle_6", 36, false},
                                           {23, "Quadrilateral_8", 37, false},
                                           {24, "Tetrahedron_10", 38, false},
                                           {26, "Wedge_15", 40, false},
                                           {25, "Hexahedron_20", 48, false}}};

const CellName& cell_name(std::uint8_t type) {
  const auto* const found =
      std::find_if(kCells.begin(), kCells.end(), [&](const CellName& cell) { return cell.vtk == type; });
  if (found == kCells.end()) {
    throw Error(ErrorKind::usage, "XDMF", fmt::format("has no cells of VTK's type {}", type),
                "open the HDF5 file itself, as VTKHDF");
  }
  return *found;
}

std::string number_of(DataType type) {
  switch (type) {
    case DataType::float32:
    case DataType::float64: return fmt::format(R"(NumberType="Float" Precision="{}")", size_of(type));
    case DataType::int32:
    case DataType::int64: return fmt::format(R"(NumberType="Int" Precision="{}")", size_of(type));
    case DataType::uint8: return R"(NumberType="UChar" Precision="1")";
  }
  return {};
}

std::string spaced(const Shape& shape) { return fmt::format("{}", fmt::join(shape, " ")); }

class Text {
 public:
  Text(const View& view, const std::string& file, std::span<const double> times,
       std::span<const XdmfTopology> topologies)
      : view_(view), file_(escaped_xml(file)), times_(times), topologies_(topologies) {}

  std::string all() {
    line(0, R"(<?xml version="1.0"?>)");
    line(0, R"(<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>)");
    line(0, R"(<Xdmf Version="2.0"><Domain>)");
    line(1, R"(<Grid Name="series" GridType="Collection" CollectionType="Temporal">)");
    for (std::uint64_t step = 0; step < view_.steps; ++step) one_step(step);
    line(1, "</Grid>");
    line(0, "</Domain></Xdmf>");
    return std::move(text_);
  }

 private:
  void line(int depth, const std::string& words) {
    text_.append(static_cast<std::size_t>(depth), ' ');
    text_ += words + "\n";
  }

  std::string item(const std::string& path, DataType type, const Shape& shape) const {
    return fmt::format(R"(<DataItem Format="HDF" {} Dimensions="{}">{}:{}</DataItem>)", number_of(type), spaced(shape),
                       file_, escaped_xml(path));
  }

  // `count` elements from `start` on of a dataset of `shape`.
  std::string part(const std::string& path, DataType type, const Shape& shape, const Box& box,
                   const Shape& shown) const {
    const Shape ones(shape.size(), 1);
    return fmt::format(
        R"(<DataItem ItemType="HyperSlab" {} Dimensions="{}"><DataItem Format="XML" Dimensions="3 {}">{} {} {}</DataItem>{}</DataItem>)",
        number_of(type), spaced(shown), shape.size(), spaced(box.start), spaced(ones), spaced(box.count),
        item(path, type, shape));
  }

  void one_step(std::uint64_t step) {
    std::size_t grids = 0;
    for (std::size_t b = 0; b < view_.blocks.size(); ++b) grids += grids_of(b);
    if (grids == 1) {
      one_grid(step, 0, 0, true);
      return;
    }
    line(2, fmt::format(R"(<Grid Name="step {}" GridType="Collection" CollectionType="Spatial">)", step));
    line(3, fmt::format(R"(<Time Value="{}"/>)", times_[step]));
    for (std::size_t b = 0; b < view_.blocks.size(); ++b) {
      for (std::size_t run = 0; run < grids_of(b); ++run) one_grid(step, b, run, false);
    }
    line(2, "</Grid>");
  }

  std::size_t grids_of(std::size_t block) const {
    if (view_.blocks[block].grid || !topologies_[block].mixed_path.empty()) return 1;
    return std::max<std::size_t>(1, topologies_[block].runs.size());
  }

  void one_grid(std::uint64_t step, std::size_t number, std::size_t run, bool alone) {
    const Block& block = view_.blocks[number];
    const int depth = alone ? 2 : 3;
    line(depth, fmt::format(R"(<Grid Name="{}" GridType="Uniform">)", escaped_xml(block.name)));
    if (alone) line(depth + 1, fmt::format(R"(<Time Value="{}"/>)", times_[step]));
    if (block.grid) {
      grid_geometry(*block.grid, depth + 1);
    } else {
      topology(*block.unstructured, topologies_[number], run, depth + 1);
      line(depth + 1, R"(<Geometry GeometryType="XYZ">)" +
                          item(block.unstructured->points_path, DataType::float64, {block.unstructured->points, 3}) +
                          "</Geometry>");
    }
    for (const ViewField& field : block.fields) {
      // Of a mesh in several runs only the first could take values on cells, and only if they were its own: left out.
      if (field.support == storage::Support::cells && grids_of(number) > 1) continue;
      attribute(field, block, step, depth + 1);
    }
    for (const MapRow& map : block.maps) map_attribute(map, block, depth + 1);
    line(depth, "</Grid>");
  }

  std::string root_of(const Block& block) const {
    return view_.blocks.size() == 1 ? "/VTKHDF" : "/VTKHDF/" + block.name;
  }

  void map_attribute(const MapRow& map, const Block& block, int depth) {
    Shape shown = block.grid ? block.grid->shape : Shape{block.unstructured->points};
    if (block.grid) shown.insert(shown.begin(), 3 - std::min<std::size_t>(3, shown.size()), 1);
    Shape stored = block.grid ? block.grid->shape : shown;
    if (block.grid) stored.insert(stored.begin(), 1);
    line(depth, fmt::format(R"(<Attribute Name="{}" AttributeType="Scalar" Center="Node">{}</Attribute>)",
                            escaped_xml(map.name),
                            part(root_of(block) + "/PointData/" + map.name, map.type, stored, whole(stored), shown)));
  }

  void grid_geometry(const storage::RegularGrid& grid, int depth) {
    Shape shape(3 - std::min<std::size_t>(3, grid.shape.size()), 1);
    shape.insert(shape.end(), grid.shape.begin(), grid.shape.end());
    line(depth, fmt::format(R"(<Topology TopologyType="3DCoRectMesh" Dimensions="{}"/>)", spaced(shape)));
    const auto backwards = [](const std::array<double, 3>& xyz) {
      return fmt::format("{} {} {}", xyz[2], xyz[1], xyz[0]);
    };
    line(depth,
         fmt::format(R"(<Geometry GeometryType="ORIGIN_DXDYDZ"><DataItem Format="XML" Dimensions="3">{}</DataItem>)"
                     R"(<DataItem Format="XML" Dimensions="3">{}</DataItem></Geometry>)",
                     backwards(grid.origin), backwards(grid.spacing)));
  }

  void topology(const Unstructured& mesh, const XdmfTopology& topology, std::size_t run, int depth) {
    if (!topology.mixed_path.empty()) {
      line(depth, fmt::format(R"(<Topology TopologyType="Mixed" NumberOfElements="{}">{}</Topology>)", mesh.cells,
                              item(topology.mixed_path, DataType::int64, {topology.mixed_length})));
      return;
    }
    if (topology.runs.empty()) {
      line(depth, fmt::format(R"(<Topology TopologyType="Polyvertex" NumberOfElements="{}"/>)", mesh.points));
      return;
    }
    const CellRun& cells = topology.runs[run];
    const CellName& name = cell_name(cells.type);
    const std::string nodes = name.any_length ? fmt::format(R"( NodesPerElement="{}")", cells.corners) : "";
    line(depth,
         fmt::format(R"(<Topology TopologyType="{}" NumberOfElements="{}"{}>{}</Topology>)", name.name, cells.cells,
                     nodes,
                     part(mesh.connectivity_path, DataType::int64, {mesh.corners},
                          Box{{cells.first_corner}, {cells.cells * cells.corners}}, {cells.cells, cells.corners})));
  }

  void attribute(const ViewField& field, const Block& block, std::uint64_t step, int depth) {
    const bool on_cells = field.support == storage::Support::cells;
    const std::string path = root_of(block) + (on_cells ? "/CellData/" : "/PointData/") + field.name;
    const Shape rest = field.components == 1 ? Shape{} : Shape{field.components};
    Shape shape;
    Shape shown;
    Box box;
    if (block.grid) {
      shape = {view_.steps};
      shape.insert(shape.end(), block.grid->shape.begin(), block.grid->shape.end());
      shape.insert(shape.end(), rest.begin(), rest.end());
      for (std::size_t missing = block.grid->shape.size(); missing < 3; ++missing) shown.push_back(1);
      shown.insert(shown.end(), shape.begin() + 1, shape.end());
      box = whole(shape);
      box.start[0] = step;
      box.count[0] = 1;
    } else {
      const std::uint64_t pitch = on_cells ? block.unstructured->cells : block.unstructured->points;
      shape = {view_.steps * pitch};
      shown = {pitch};
      shape.insert(shape.end(), rest.begin(), rest.end());
      shown.insert(shown.end(), rest.begin(), rest.end());
      box = whole(shape);
      box.start[0] = step * pitch;
      box.count[0] = pitch;
    }
    const char* kind = field.components == 3 ? "Vector" : field.components == 9 ? "Tensor" : "Scalar";
    line(depth,
         fmt::format(R"(<Attribute Name="{}" AttributeType="{}" Center="{}">{}</Attribute>)", escaped_xml(field.name),
                     kind, on_cells ? "Cell" : "Node", part(path, field.type, shape, box, shown)));
  }

  const View& view_;
  std::string file_;
  std::span<const double> times_;
  std::span<const XdmfTopology> topologies_;
  std::string text_;
};

}  // namespace

std::vector<CellRun> cell_runs(const Cells& cells, std::size_t most) {
  std::vector<CellRun> runs;
  for (std::size_t cell = 0; cell < cells.types.size() && runs.size() <= most; ++cell) {
    const auto begin = static_cast<std::uint64_t>(cells.offsets.at(cell));
    const auto corners = static_cast<std::uint64_t>(cells.offsets.at(cell + 1)) - begin;
    if (runs.empty() || runs.back().type != cells.types[cell] || runs.back().corners != corners) {
      runs.push_back({cells.types[cell], 0, begin, corners});
    }
    ++runs.back().cells;
  }
  return runs;
}

std::vector<std::int64_t> mixed_topology(const Cells& cells) {
  std::vector<std::int64_t> array;
  array.reserve(cells.connectivity.size() + 2 * cells.types.size());
  for (std::size_t cell = 0; cell < cells.types.size(); ++cell) {
    const CellName& name = cell_name(cells.types[cell]);
    const auto begin = cells.connectivity.begin() + cells.offsets.at(cell);
    const auto end = cells.connectivity.begin() + cells.offsets.at(cell + 1);
    array.push_back(name.number);
    if (name.any_length) array.push_back(end - begin);
    array.insert(array.end(), begin, end);
  }
  return array;
}

std::string xdmf_text(const View& view, const std::string& file, std::span<const double> times,
                      std::span<const XdmfTopology> topologies) {
  return Text(view, file, times, topologies).all();
}

}  // namespace weft::view
