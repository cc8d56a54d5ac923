// weft/series/mesh_share.hpp - a mesh that every rank holds whole, dealt out for writing it.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/series/series_spec.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft {

// This rank's even share of the points and of the cells, both in contiguous blocks. It refers to the mesh's memory and
// to `cell_sizes`, which are made for it. Pure.
MeshSpec even_share(const view::Mesh& mesh, int rank, int ranks, std::vector<std::int64_t>& cell_sizes);

}  // namespace weft
