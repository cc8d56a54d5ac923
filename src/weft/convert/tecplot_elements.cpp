#include "weft/convert/tecplot_elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/cell_type.hpp"
#include "weft/support/error.hpp"

namespace weft::convert {

namespace {

struct Shape {
  std::uint8_t type;
  int dimension;
  std::size_t corners;
  std::array<std::uint8_t, 8> in_brick;  // which corner stands at each of a brick's
};
// The first four of `in_brick` are the corners in a quadrilateral.
constexpr std::array<Shape, 9> kShapes{{{cell_type::line, 1, 2, {0, 1, 1, 0, 0, 1, 1, 0}},
                                        {cell_type::triangle, 2, 3, {0, 1, 2, 2, 0, 1, 2, 2}},
                                        {cell_type::pixel, 2, 4, {0, 1, 3, 2, 0, 1, 3, 2}},
                                        {cell_type::quad, 2, 4, {0, 1, 2, 3, 0, 1, 2, 3}},
                                        {cell_type::tetra, 3, 4, {0, 1, 2, 2, 3, 3, 3, 3}},
                                        {cell_type::voxel, 3, 8, {0, 1, 3, 2, 4, 5, 7, 6}},
                                        {cell_type::hexahedron, 3, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
                                        {cell_type::wedge, 3, 6, {0, 1, 2, 2, 3, 4, 5, 5}},
                                        {cell_type::pyramid, 3, 5, {0, 1, 2, 3, 4, 4, 4, 4}}}};

const Shape* shape_of(std::uint8_t type) {
  const auto* known =
      std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& shape) { return shape.type == type; });
  return known == kShapes.end() ? nullptr : known;
}

}  // namespace

std::uint64_t corners_of(ZoneType zone) {
  switch (zone) {
    case ZoneType::ordered: return 0;
    case ZoneType::line: return 2;
    case ZoneType::triangle: return 3;
    case ZoneType::quadrilateral:
    case ZoneType::tetrahedron: return 4;
    case ZoneType::brick: return 8;
  }
  return 0;
}

bool is_element(std::uint8_t vtk_type) { return shape_of(vtk_type) != nullptr; }

ZoneType zone_for(const CellCounts& counts) {
  int dimension = 0;
  std::uint64_t elements = 0;
  for (const Shape& shape : kShapes) {
    elements += counts[shape.type];
    if (counts[shape.type] > 0) dimension = std::max(dimension, shape.dimension);
  }
  switch (dimension) {
    case 0: return ZoneType::ordered;
    case 1: return ZoneType::line;
    case 2: return counts[cell_type::triangle] == elements ? ZoneType::triangle : ZoneType::quadrilateral;
    default: return counts[cell_type::tetra] == elements ? ZoneType::tetrahedron : ZoneType::brick;
  }
}

void append_element(ZoneType zone, std::uint8_t vtk_type, std::span<const std::int64_t> corners,
                    std::vector<std::int32_t>& elements) {
  const Shape* shape = shape_of(vtk_type);
  if (shape == nullptr || corners.size() != shape->corners) {
    throw Error(ErrorKind::data, "mesh",
                fmt::format("a cell of VTK's type {} has {} corners", vtk_type, corners.size()), "the mesh is damaged");
  }
  const std::uint64_t count = corners_of(zone);
  const bool as_it_is = zone != ZoneType::brick && zone != ZoneType::quadrilateral;
  for (std::size_t i = 0; i < count; ++i) {
    elements.push_back(static_cast<std::int32_t>(corners[as_it_is ? i : shape->in_brick[i]]));
  }
}

}  // namespace weft::convert
