// kernels/ecg/box_mesh.hpp - a mesh of exactly N nodes for the synthetic source: a box of cubes, cut into tetrahedra.
//
// Node n stands at (n mod nx, n / nx mod ny, n / (nx ny)) times the spacing. The box has nx * ny * nz nodes, as near a
// cube as N allows; the nodes left over begin a further layer and are vertices, as are all nodes where N makes no box.
// Every cube is five tetrahedra, mirrored in every second cube so that faces meet.
//
// Example: 30 nodes: 3 x 3 x 3 of them in 8 cubes, 40 tetrahedra, and 3 vertices.
#pragma once

#include <cstdint>

#include "kernels/io/mesh_part.hpp"

namespace weft::kernels::ecg {

struct BoxMesh {
  std::uint64_t nodes = 0;
  std::uint64_t nx = 1, ny = 1, nz = 1;

  std::uint64_t cubes() const { return nx < 2 || ny < 2 || nz < 2 ? 0 : (nx - 1) * (ny - 1) * (nz - 1); }
  std::uint64_t vertices() const { return cubes() == 0 ? nodes : nodes - nx * ny * nz; }  // the last nodes
};

// The box for so many nodes, at least 1.
BoxMesh box_mesh(std::uint64_t nodes);

// This rank's even share of the points and cells; 0.5 mm between neighbours.
MeshPart part_of(const BoxMesh& mesh, int rank, int ranks);

}  // namespace weft::kernels::ecg
