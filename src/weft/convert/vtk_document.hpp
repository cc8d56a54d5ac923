// weft/convert/vtk_document.hpp - the XML of VTK's files: .vtu and .vti, the .pvtu that names pieces, the .pvd that
// names steps. Texts only; convert/vtk_file.hpp puts the arrays behind them.
//
// Arrays are "appended raw": the XML says at which offset behind the underscore of AppendedData each begins, with a
// header of 64-bit numbers. Format: VTK User's Guide, "VTK File Formats".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"
#include "weft/support/data_type.hpp"

namespace weft::convert {

struct VtkArray {
  std::string name;
  DataType type = DataType::float64;
  std::uint64_t components = 1;
  std::uint64_t tuples = 0;  // said of field data alone
};

// One piece of data, its arrays in the order in which they are written.
struct VtkDocument {
  const storage::RegularGrid* grid = nullptr;  // of a .vti; a .vtu has points and cells
  std::uint64_t points = 0;
  std::uint64_t cells = 0;
  DataType coordinates = DataType::float64;
  std::vector<VtkArray> globals;  // the time first
  std::vector<VtkArray> on_nodes;
  std::vector<VtkArray> on_cells;
  bool compressed = false;

  // Points, connectivity, offsets and types, of a .vtu; then globals, on_nodes, on_cells.
  std::size_t arrays() const { return (grid == nullptr ? 4 : 0) + globals.size() + on_nodes.size() + on_cells.size(); }
};

// Everything up to and with the underscore, padded with spaces to `length`; `offsets` has one for each array.
std::string vtk_head(const VtkDocument& document, std::span<const std::uint64_t> offsets, std::uint64_t length);
// A length that is enough whatever the offsets are.
std::uint64_t vtk_head_length(const VtkDocument& document);
// What closes the file.
std::string_view vtk_tail();

// A global value in a .pvtu, where it is text.
struct VtkGlobalText {
  VtkArray array;
  std::string values;  // with spaces
};

// The pieces' `document` (any one's), their files, and the globals of the step.
std::string pvtu_text(const VtkDocument& document, std::span<const VtkGlobalText> globals,
                      std::span<const std::string> files);

struct PvdEntry {
  double time;
  std::string file;
};
std::string pvd_text(std::span<const PvdEntry> steps);

}  // namespace weft::convert
