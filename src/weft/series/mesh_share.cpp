#include "weft/series/mesh_share.hpp"

#include "weft/partition/ownership.hpp"

namespace weft {

MeshSpec even_share(const view::Mesh& mesh, int rank, int ranks, std::vector<std::int64_t>& cell_sizes) {
  MeshSpec spec;
  spec.points = mesh.points.size() / 3;
  spec.owned = partition::even_nodes({spec.points, 3}, rank, ranks);
  const partition::Block points = partition::even_block(spec.points, rank, ranks);
  spec.coordinates = std::span(mesh.points).subspan(3 * points.first, 3 * points.count);
  const partition::Block cells = partition::even_block(mesh.cells.types.size(), rank, ranks);
  cell_sizes.clear();
  if (cells.count == 0) return spec;
  const std::vector<std::int64_t>& offsets = mesh.cells.offsets;
  cell_sizes.reserve(cells.count);
  for (std::uint64_t c = cells.first; c < cells.first + cells.count; ++c) {
    cell_sizes.push_back(offsets[c + 1] - offsets[c]);
  }
  spec.cell_types = std::span(mesh.cells.types).subspan(cells.first, cells.count);
  spec.cell_sizes = cell_sizes;
  const auto begin = static_cast<std::size_t>(offsets[cells.first]);
  const auto end = static_cast<std::size_t>(offsets[cells.first + cells.count]);
  spec.connectivity = std::span(mesh.cells.connectivity).subspan(begin, end - begin);
  return spec;
}

}  // namespace weft
