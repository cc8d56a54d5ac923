// weft/convert/mesh_piece.hpp - the part of a mesh that a rank converts.
//
// Cells are dealt in contiguous blocks. A piece has its cells and the points they use; a point that no cell uses
// belongs to the rank that an even dealing of the points gives it, so that every point is in some piece, also of a mesh
// without cells. Points are in the mesh's order, so one rank alone has the mesh as it is.
//
// Example: lines 0-1, 1-2, 2-3 and a lone point 4 on 2 ranks: cells 0, 1 with points 0 1 2; cell 2 with points 2 3 4.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/convert/step_source.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/support/communicator.hpp"

namespace weft::convert {

struct MeshPiece {
  partition::Block cells{0, 0};
  std::vector<std::int64_t> nodes;  // the piece's points by their numbers in the mesh, rising
  // As VTK has them, in the piece's own numbers; ends[c] is behind cell c's last corner.
  std::vector<std::int64_t> connectivity;
  std::vector<std::int64_t> ends;
  std::vector<std::uint8_t> types;

  bool empty() const { return nodes.empty(); }
};

// This rank's piece. Collective: ranks tell each other which points are used. Throws agreed errors; Error(data) where
// the mesh leads outside itself.
MeshPiece deal_piece(Communicator& comm, const StepSource& source, const view::Unstructured& mesh);

// Renumbers `connectivity` from the mesh's numbers to places in the returned rising list of the numbers it has.
// Throws Error(data) where a number is not one of `points`.
std::vector<std::int64_t> number_locally(std::span<std::int64_t> connectivity, std::uint64_t points);

// Ranges of rows that cover the rising `nodes`; one reaches over gaps of up to `bridge` rows.
//
// Example: nodes 3 4 6 20 with a bridge of 2: rows 3 to 6, and 20.
std::vector<RowRange> row_ranges(std::span<const std::int64_t> nodes, std::uint64_t bridge);

}  // namespace weft::convert
