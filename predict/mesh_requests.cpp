#include "predict/mesh_requests.hpp"

#include <algorithm>

#include "weft/partition/ownership.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

std::uint64_t bytes_of(const kernels::ecg::BoxMesh& mesh) {
  const std::uint64_t tetrahedra = 5 * mesh.cubes();
  const std::uint64_t cells = tetrahedra + mesh.vertices();
  return 24 * mesh.nodes + cells + 8 * (4 * tetrahedra + mesh.vertices()) + 8 * (cells + 1);
}

Requests requests_of(const kernels::ecg::BoxMesh& mesh, std::uint64_t ranks, std::uint64_t most_request_bytes) {
  constexpr std::uint64_t kSumsAtOnce = (1U << 17U) * sizeof(std::int64_t);  // of where cells begin
  Requests sum;
  const auto write = [&](std::uint64_t bytes) {
    sum.add({static_cast<double>(ceil_div(bytes, most_request_bytes)), static_cast<double>(bytes)});
  };
  const auto all = static_cast<int>(ranks);
  for (int rank = 0; rank < all; ++rank) {
    const std::uint64_t vertices = rank == all - 1 ? mesh.vertices() : 0;
    const std::uint64_t tetrahedra = 5 * partition::even_block(mesh.cubes(), rank, all).count;
    const std::uint64_t cells = tetrahedra + vertices;
    write(24 * partition::even_block(mesh.nodes, rank, all).count);
    write(cells);
    write(8 * (4 * tetrahedra + vertices));
    const std::uint64_t begins = 8 * (cells + (rank == all - 1 ? 1 : 0));
    for (std::uint64_t at = 0; at < begins; at += kSumsAtOnce) write(std::min(kSumsAtOnce, begins - at));
  }
  return sum;
}

}  // namespace weft::predict
