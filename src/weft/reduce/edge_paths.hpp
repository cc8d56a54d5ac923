// weft/reduce/edge_paths.hpp - how far it is from one node of a mesh to every other, along its edges.
//
// Dijkstra's shortest paths (Numerische Mathematik 1, 1959, doi:10.1007/BF01386390) over the edges of linear cells.
// Pure. Takes about 16 bytes an edge and 24 a point beside the mesh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/view/submesh.hpp"

namespace weft::reduce {

// Distances of all points from point `origin`, in the unit of `points` (x, y, z of each); infinity where no path leads.
// Throws Error(usage) where there is no such point, Error(data) on a cell type whose edges are not known, or corners
// that are no points.
//
// Example: points at x = 0, 1, 3 and lines 0-1, 1-2: 0, 1 and 3 from point 0.
std::vector<double> edge_distances(std::span<const double> points, const view::Cells& cells, std::uint64_t origin);

}  // namespace weft::reduce
