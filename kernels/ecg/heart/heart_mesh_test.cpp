#include "kernels/ecg/heart/heart_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "weft/support/error.hpp"

namespace weft::kernels::ecg {
namespace {

class Torso : public ::testing::Test {
 protected:
  static const HeartMesh& mesh() {
    static const HeartMesh kMesh = torso_mesh(8000);
    return kMesh;
  }
  static double volume_of(std::size_t t) {
    const auto at = [&](std::size_t c) { return mesh().points[static_cast<std::size_t>(mesh().tetrahedra[t][c])]; };
    return six_volumes(at(0), at(1), at(2), at(3)) / 6;
  }
};

TEST_F(Torso, HasAboutAsManyNodesAsAskedFor) {
  EXPECT_LE(mesh().points.size(), 8000u);
  EXPECT_GE(mesh().points.size(), 6400u);
}

TEST_F(Torso, ItsTissuesAreAsLargeAsAnAdults) {
  std::map<Tissue, double> litres;
  for (std::size_t t = 0; t < mesh().tetrahedra.size(); ++t) litres[mesh().tissues[t]] += volume_of(t) / 1e6;
  EXPECT_NEAR(litres[Tissue::heart], 0.2, 0.05);
  EXPECT_NEAR(litres[Tissue::blood], 0.16, 0.05);
  EXPECT_NEAR(litres[Tissue::lung], 4.1, 0.8);
  EXPECT_NEAR(litres[Tissue::bone], 1.4, 0.6);
  EXPECT_NEAR(litres[Tissue::torso], 19, 3);
}

TEST_F(Torso, TheHeartComesFirst) {
  for (std::size_t t = 0; t < mesh().tetrahedra.size(); ++t) {
    const auto& c = mesh().tetrahedra[t];
    const auto in_heart = static_cast<std::size_t>(std::count_if(
        c.begin(), c.end(), [&](std::int32_t n) { return static_cast<std::uint64_t>(n) < mesh().heart_nodes; }));
    if (t < mesh().heart_tetrahedra) {
      ASSERT_EQ(mesh().tissues[t], Tissue::heart);
      ASSERT_EQ(in_heart, 4u);
    } else {
      ASSERT_NE(mesh().tissues[t], Tissue::heart);
      ASSERT_LT(in_heart, 4u) << "a field on the heart's nodes would show this one too";
    }
  }
}

// A face in the torso belongs to two tetrahedra, one of the skin to one; so the skin is closed: its edges belong to two
// of its faces.
TEST_F(Torso, ItsSkinIsClosed) {
  std::map<std::array<std::int32_t, 3>, int> faces;
  for (const Tetrahedron& t : mesh().tetrahedra) {
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<std::int32_t, 3> face{};
      for (std::size_t c = 0, i = 0; c < 4; ++c) {
        if (c != left_out) face[i++] = t[c];
      }
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
  for (const auto& [face, count] : faces) {
    ASSERT_LE(count, 2);
    if (count == 2) continue;
    ++edges[{face[0], face[1]}];
    ++edges[{face[0], face[2]}];
    ++edges[{face[1], face[2]}];
  }
  for (const auto& [edge, count] : edges) ASSERT_EQ(count, 2);
}

TEST_F(Torso, FibresTurnThroughTheWallAndRunAlongIt) {
  for (std::size_t t = 0; t < mesh().heart_tetrahedra; ++t) ASSERT_NEAR(length(mesh().fibres[t]), 1, 1e-12);
  // 60 degrees against the horizontal inside, none in the middle of the wall.
  const Vector3 up = normalised({-0.58, 0.42, 0.70});
  double inside = 0;
  double middle = 0;
  for (double x = -60; x < 80; x += 1.5) {
    for (double y = -90; y < 30; y += 1.5) {
      const Vector3 p{x, y, 5};
      const double depth = depth_in_wall(p);
      // The left ventricle's free wall: away from the right one.
      if (wall_distance(p) > -0.5 || dot(p - Vector3{18, -32, 5}, normalised({-0.66, -0.73, -0.11})) > -19) continue;
      const double rise = std::fabs(dot(fibre_at(p), up));
      if (depth < 0.1) inside = std::max(inside, rise);
      if (depth > 0.48 && depth < 0.52) middle = std::max(middle, rise);
    }
  }
  EXPECT_NEAR(inside, std::sqrt(0.75), 0.1);
  EXPECT_LT(middle, 0.2);
}

TEST_F(Torso, EveryLayerAndElectrodeIsThere) {
  for (const CellLayer layer : {CellLayer::epicardium, CellLayer::midmyocardium, CellLayer::endocardium}) {
    EXPECT_GT(std::count(mesh().layers.begin(), mesh().layers.end(), layer),
              static_cast<std::ptrdiff_t>(mesh().heart_nodes / 20));
  }
  ASSERT_EQ(mesh().electrodes.size(), 10u);
  for (std::size_t e = 0; e < 10; ++e) {
    const Vector3& at = mesh().points[static_cast<std::size_t>(mesh().electrodes[e].node)];
    EXPECT_LT(length(at - electrode_places()[e].at), 40) << mesh().electrodes[e].name;
  }
  EXPECT_GT(mesh().stimuli.size(), mesh().heart_nodes / 10);
}

TEST_F(Torso, CannotBeHadWithAHandfulOfNodes) { EXPECT_THROW(torso_mesh(200), Error); }

TEST(Slab, IsNiederersSlab) {
  const HeartMesh mesh = slab_mesh(0.5);
  EXPECT_EQ(mesh.points.size(), 41u * 15 * 7);
  EXPECT_EQ(mesh.tetrahedra.size(), 40u * 14 * 6 * 6);
  EXPECT_EQ(mesh.stimuli.size(), 4u * 4 * 4);
  EXPECT_EQ(mesh.heart_nodes, mesh.points.size());
  check_mesh(mesh);
  EXPECT_THROW(slab_mesh(0), Error);
  EXPECT_THROW(slab_mesh(2), Error);
}

TEST(HeartMesh, WithoutAHeartOrInsideOutItIsRefused) {
  HeartMesh mesh = slab_mesh(1);
  mesh.tetrahedra[7] = {mesh.tetrahedra[7][1], mesh.tetrahedra[7][0], mesh.tetrahedra[7][2], mesh.tetrahedra[7][3]};
  EXPECT_THROW(check_mesh(mesh), Error);
  HeartMesh none;
  none.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  none.tetrahedra = {{0, 1, 2, 3}};
  none.tissues = {Tissue::torso};
  number_heart_first(none);
  EXPECT_THROW(check_mesh(none), Error);
}

}  // namespace
}  // namespace weft::kernels::ecg
