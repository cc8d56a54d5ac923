#include "kernels/ecg/box_mesh.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

namespace weft::kernels::ecg {
namespace {

// The signed volume of a tetrahedron; positive as VTK wants it.
double volume(const MeshPart& mesh, std::size_t cell) {
  std::array<std::array<double, 3>, 4> p{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      p[i][axis] = mesh.coordinates[3 * static_cast<std::size_t>(mesh.connectivity[4 * cell + i]) + axis];
    }
  }
  const auto edge = [&](std::size_t i, std::size_t axis) { return p[i][axis] - p[0][axis]; };
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    const std::size_t c = (a + 2) % 3;
    sum += edge(1, a) * (edge(2, b) * edge(3, c) - edge(2, c) * edge(3, b));
  }
  return sum / 6;
}

TEST(BoxMesh, HasExactlyTheNodesAsked) {
  for (std::uint64_t nodes = 1; nodes < 300; ++nodes) {
    const BoxMesh box = box_mesh(nodes);
    const MeshPart mesh = part_of(box, 0, 1);
    EXPECT_EQ(mesh.coordinates.size(), 3 * nodes);
    const std::set<std::int64_t> used(mesh.connectivity.begin(), mesh.connectivity.end());
    EXPECT_EQ(used.size(), nodes) << "every node is in a cell";
    EXPECT_EQ(*used.rbegin(), static_cast<std::int64_t>(nodes) - 1);
    EXPECT_LE(box.nx * box.ny * box.nz, nodes);
  }
  EXPECT_EQ(box_mesh(3253316).vertices(), 3253316 - 148ULL * 148 * 148);
}

TEST(BoxMesh, TetrahedraFillTheBoxAndMeetFaceToFace) {
  const MeshPart mesh = part_of(box_mesh(60), 0, 1);  // 3 x 4 x 5
  const std::size_t tetrahedra = std::size_t{2} * 3 * 4 * 5;
  ASSERT_EQ(std::count(mesh.cell_types.begin(), mesh.cell_types.end(), 10), static_cast<long>(tetrahedra));
  double all = 0;
  std::map<std::set<std::int64_t>, int> faces;
  for (std::size_t cell = 0; cell < tetrahedra; ++cell) {
    EXPECT_GT(volume(mesh, cell), 0);
    all += volume(mesh, cell);
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::set<std::int64_t> face;
      for (std::size_t i = 0; i < 4; ++i) {
        if (i != left_out) face.insert(mesh.connectivity[4 * cell + i]);
      }
      ++faces[face];
    }
  }
  EXPECT_NEAR(all, 2 * 3 * 4 * 0.125, 1e-12);
  int outside = 0;
  for (const auto& [face, cells] : faces) {
    EXPECT_LE(cells, 2);
    outside += cells == 1;
  }
  EXPECT_EQ(outside, 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2)) << "two triangles on every square of the surface";
}

TEST(BoxMesh, PartsOfRanksAreTheWhole) {
  const BoxMesh box = box_mesh(100);
  const MeshPart whole_mesh = part_of(box, 0, 1);
  for (const int ranks : {2, 3, 7, 150}) {
    std::vector<double> coordinates;
    std::vector<std::int64_t> connectivity;
    std::vector<std::uint8_t> types;
    for (int rank = 0; rank < ranks; ++rank) {
      const MeshPart part = part_of(box, rank, ranks);
      coordinates.insert(coordinates.end(), part.coordinates.begin(), part.coordinates.end());
      connectivity.insert(connectivity.end(), part.connectivity.begin(), part.connectivity.end());
      types.insert(types.end(), part.cell_types.begin(), part.cell_types.end());
    }
    EXPECT_EQ(coordinates, whole_mesh.coordinates);
    EXPECT_EQ(connectivity, whole_mesh.connectivity);
    EXPECT_EQ(types, whole_mesh.cell_types);
  }
}

}  // namespace
}  // namespace weft::kernels::ecg
