// weft/convert/tecplot_elements.hpp - VTK's cells as elements of Tecplot's finite-element zones.
//
// A zone has elements of one kind. Cells of one shape get the zone of that shape; others share the next larger one,
// with corners repeated:
//   tetrahedra alone                FETETRAHEDRON
//   triangles alone                 FETRIANGLE
//   lines alone                     FELINESEG
//   triangles, quadrilaterals,
//   pixels, lines                   FEQUADRILATERAL   triangle 0 1 2 2, line 0 1 1 0
//   anything with a solid           FEBRICK           tetrahedron 0 1 2 2 3 3 3 3, pyramid 0 1 2 3 4 4 4 4,
//                                                     wedge 0 1 2 2 3 4 5 5, and what is flat twice: 0 1 2 3 0 1 2 3
// Pixels and voxels (numbered along x) are turned into quadrilaterals and bricks (numbered around). Lone vertices and
// cells of other types are no elements. Pure; no file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::convert {

// Numbered as the file has them.
enum class ZoneType : std::int32_t {
  ordered = 0,
  line = 1,
  triangle = 2,
  quadrilateral = 3,
  tetrahedron = 4,
  brick = 5,
};

std::uint64_t corners_of(ZoneType zone);

// How many cells there are of each of VTK's types.
using CellCounts = std::array<std::uint64_t, 256>;

// Whether cells of the type become elements.
bool is_element(std::uint8_t vtk_type);

// The zone that takes all elements among the cells; `ordered` where there are none.
ZoneType zone_for(const CellCounts& counts);

// Appends the cell's corners_of(zone) nodes. The zone takes cells of the type, and the cell has the corners of its
// type: throws Error(data) where it has not.
void append_element(ZoneType zone, std::uint8_t vtk_type, std::span<const std::int64_t> corners,
                    std::vector<std::int32_t>& elements);

}  // namespace weft::convert
