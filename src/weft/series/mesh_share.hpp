// weft/series/mesh_share.hpp - a mesh that every rank holds whole, dealt out for writing it.
#pragma once

#include "weft/series/series_spec.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft {

// This rank's even share of the points and of the cells, both in contiguous blocks. Pure.
MeshSpec even_share(const view::Mesh& mesh, int rank, int ranks);

}  // namespace weft
