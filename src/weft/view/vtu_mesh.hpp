// weft/view/vtu_mesh.hpp - reading the mesh of a .vtu file (VTK's XML format, UnstructuredGrid), for views of files
// that have none; and, where asked for, of arrays on its points and cells.
//
// Read are the points and cells of every piece, one piece behind the other, and so are the arrays. Understood: ascii,
// binary (base64) and appended (raw or base64) arrays, headers of 32 or 64 bits, zlib compression, any number type,
// either byte order. Format: VTK User's Guide, "VTK File Formats".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "weft/view/submesh.hpp"

#pragma GCC visibility push(default)

namespace weft::view {

struct Mesh {
  std::vector<double> points;  // x, y, z of each
  Cells cells;
};

// Throws Error(system) where the file cannot be read, Error(data) where it is not a .vtu, is damaged, or uses what is
// not understood (lzma, lz4; polyhedra).
Mesh read_vtu(const std::string& path);

// A point's or a cell's `components` values lie one behind the other; as numbers of any type are read, integers beyond
// 2^53 lose digits.
struct VtuArray {
  std::size_t components = 1;
  std::vector<double> values;
};

struct VtuFields {
  Mesh mesh;
  std::map<std::string, VtuArray> on_points;  // by name: those asked for that are there
  std::map<std::string, VtuArray> on_cells;
};

// The mesh, and these arrays of PointData and of CellData. Throws what read_vtu() throws, and Error(data) where an
// array has not one value, or one tuple of its components, for each point or cell, or is missing in some pieces.
//
// Example: read_vtu_fields("heart.vtu", {}, {"fibre"}).on_cells.at("fibre").components is 3.
VtuFields read_vtu_fields(const std::string& path, const std::vector<std::string>& on_points,
                          const std::vector<std::string>& on_cells);

}  // namespace weft::view

#pragma GCC visibility pop
