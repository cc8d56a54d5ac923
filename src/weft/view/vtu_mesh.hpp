// weft/view/vtu_mesh.hpp - reading the mesh of a .vtu file (VTK's XML format, UnstructuredGrid), for views of files
// that have none.
//
// Read are the points and cells of every piece, one piece behind the other, and no fields. Understood: ascii, binary
// (base64) and appended (raw or base64) arrays, headers of 32 or 64 bits, zlib compression, any number type, either
// byte order. Format: VTK User's Guide, "VTK File Formats".
#pragma once

#include <string>
#include <vector>

#include "weft/view/submesh.hpp"

namespace weft::view {

struct Mesh {
  std::vector<double> points;  // x, y, z of each
  Cells cells;
};

// Throws Error(system) where the file cannot be read, Error(data) where it is not a .vtu, is damaged, or uses what is
// not understood (lzma, lz4; polyhedra).
Mesh read_vtu(const std::string& path);

}  // namespace weft::view
