#include "weft/series/mesh_share.hpp"

#include "weft/partition/ownership.hpp"

namespace weft {

MeshSpec even_share(const view::Mesh& mesh, int rank, int ranks) {
  MeshSpec spec;
  spec.points = mesh.points.size() / 3;
  spec.owned = partition::even_nodes({spec.points, 3}, rank, ranks);
  const partition::Block points = partition::even_block(spec.points, rank, ranks);
  const auto coordinates = mesh.points.begin() + static_cast<std::ptrdiff_t>(3 * points.first);
  spec.coordinates.assign(coordinates, coordinates + static_cast<std::ptrdiff_t>(3 * points.count));
  const partition::Block cells = partition::even_block(mesh.cells.types.size(), rank, ranks);
  for (std::uint64_t c = cells.first; c < cells.first + cells.count; ++c) {
    spec.cell_types.push_back(mesh.cells.types[c]);
    spec.cell_sizes.push_back(mesh.cells.offsets[c + 1] - mesh.cells.offsets[c]);
    for (std::int64_t i = mesh.cells.offsets[c]; i < mesh.cells.offsets[c + 1]; ++i) {
      spec.connectivity.push_back(mesh.cells.connectivity[static_cast<std::size_t>(i)]);
    }
  }
  return spec;
}

}  // namespace weft
