// weft/view/xdmf.hpp - a view written down as XDMF 2, for viewers that know no temporal VTKHDF.
//
// XDMF is a text beside the file that says, step by step, which part of which dataset to read: here always a
// stretch of what /VTKHDF has already (view/vtkhdf.hpp), so the two show the same. A mesh of several cell types is one
// grid for each run of equal ones; where there are many runs their cells are copied into one array of XDMF's own kind.
// Format: the XDMF Model and Format, version 2 (xdmf.org).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weft/view/submesh.hpp"
#include "weft/view/view.hpp"

#pragma GCC visibility push(default)

namespace weft::view {

// Cells [first, first + cells) of one type, with the same number of corners each.
struct CellRun {
  std::uint8_t type = 0;
  std::uint64_t cells = 0;
  std::uint64_t first_corner = 0;
  std::uint64_t corners = 0;  // of each
  bool operator==(const CellRun&) const = default;
};

// The runs of a mesh, in order. Stops once there are more than `most`.
std::vector<CellRun> cell_runs(const Cells& cells, std::size_t most);
constexpr std::size_t kMostRuns = 4;

// How XDMF is told the cells of one block.
struct XdmfTopology {
  std::vector<CellRun> runs;  // used where there are at most kMostRuns
  std::string mixed_path;     // else: the dataset of mixed_topology()
  std::uint64_t mixed_length = 0;
};

// XDMF's array of cells of many types: a number for the type (for those of any length, their length too), then the
// points. Throws Error(usage) for a cell type XDMF has not.
std::vector<std::int64_t> mixed_topology(const Cells& cells);

// The text. `file` is the HDF5 file as the text names it (its name, where the two lie side by side); `times` has one
// value a step, `topologies` one entry a block (unused for grids).
std::string xdmf_text(const View& view, const std::string& file, std::span<const double> times,
                      std::span<const XdmfTopology> topologies);

}  // namespace weft::view

#pragma GCC visibility pop
