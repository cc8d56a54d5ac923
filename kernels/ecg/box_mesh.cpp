#include "kernels/ecg/box_mesh.hpp"

#include <array>
#include <cmath>

#include "weft/support/cell_type.hpp"

namespace weft::kernels::ecg {

namespace {

constexpr double kSpacing = 0.5;  // mm

// The largest n with n^power <= value.
std::uint64_t root(std::uint64_t value, int power) {
  auto n = static_cast<std::uint64_t>(std::pow(static_cast<double>(value), 1.0 / power));
  const auto raised = [&](std::uint64_t base) { return power == 2 ? base * base : base * base * base; };
  while (raised(n + 1) <= value) ++n;
  while (n > 1 && raised(n) > value) --n;
  return n;
}

// Corners of a cube by their bits: 1 is +x, 2 is +y, 4 is +z. One tetrahedron in the middle and one at each of the four
// corners it leaves; volumes are positive in VTK's sense.
using Tetra = std::array<std::uint64_t, 4>;
constexpr std::array<Tetra, 5> kEven{Tetra{0, 3, 6, 5}, Tetra{0, 1, 3, 5}, Tetra{0, 3, 2, 6}, Tetra{0, 6, 4, 5},
                                     Tetra{3, 7, 6, 5}};
constexpr std::array<Tetra, 5> kOdd{Tetra{1, 2, 4, 7}, Tetra{1, 2, 0, 4}, Tetra{1, 3, 2, 7}, Tetra{1, 4, 5, 7},
                                    Tetra{2, 4, 7, 6}};

}  // namespace

BoxMesh box_mesh(std::uint64_t nodes) {
  BoxMesh mesh;
  mesh.nodes = nodes;
  mesh.nx = root(nodes, 3);
  mesh.ny = root(nodes / mesh.nx, 2);
  mesh.nz = nodes / (mesh.nx * mesh.ny);
  return mesh;
}

MeshPart part_of(const BoxMesh& mesh, int rank, int ranks) {
  MeshPart part;
  part.points = mesh.nodes;
  part.owned = partition::even_nodes({mesh.nodes, 3}, rank, ranks);
  const partition::Block points = partition::even_block(mesh.nodes, rank, ranks);
  part.coordinates.reserve(3 * points.count);
  const std::uint64_t layer = mesh.nx * mesh.ny;
  for (std::uint64_t n = points.first; n < points.first + points.count; ++n) {
    for (const std::uint64_t at : {n % mesh.nx, n / mesh.nx % mesh.ny, n / layer}) {
      part.coordinates.push_back(kSpacing * static_cast<double>(at));
    }
  }

  const std::uint64_t vertices = rank == ranks - 1 ? mesh.vertices() : 0;
  const partition::Block cubes = partition::even_block(mesh.cubes(), rank, ranks);
  part.connectivity.reserve(20 * cubes.count + vertices);
  for (std::uint64_t cube = cubes.first; cube < cubes.first + cubes.count; ++cube) {
    const std::uint64_t x = cube % (mesh.nx - 1);
    const std::uint64_t y = cube / (mesh.nx - 1) % (mesh.ny - 1);
    const std::uint64_t z = cube / (mesh.nx - 1) / (mesh.ny - 1);
    const std::uint64_t corner = x + y * mesh.nx + z * layer;
    for (const Tetra& tetra : (x + y + z) % 2 == 0 ? kEven : kOdd) {
      for (const std::uint64_t c : tetra) {
        part.connectivity.push_back(static_cast<std::int64_t>(corner + c % 2 + c / 2 % 2 * mesh.nx + c / 4 * layer));
      }
    }
  }
  part.cell_types.reserve(5 * cubes.count + vertices);  // else they grow to twice that
  part.cell_sizes.reserve(5 * cubes.count + vertices);
  part.cell_types.assign(5 * cubes.count, cell_type::tetra);
  part.cell_sizes.assign(5 * cubes.count, 4);

  for (std::uint64_t n = mesh.nodes - vertices; n < mesh.nodes; ++n) {  // behind all tetrahedra
    part.connectivity.push_back(static_cast<std::int64_t>(n));
    part.cell_types.push_back(cell_type::vertex);
    part.cell_sizes.push_back(1);
  }
  return part;
}

}  // namespace weft::kernels::ecg
