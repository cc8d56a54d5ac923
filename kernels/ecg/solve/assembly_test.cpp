// The pieces the systems of equations are made of, on one rank or as one of several, without PETSc.
#include "kernels/ecg/solve/assembly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/ecg/heart/skin.hpp"
#include "kernels/ecg/solve/plates.hpp"

namespace weft::kernels::ecg {
namespace {

using testing::ElementsAre;

TEST(NodeDealing, NumbersEquationsByRankTheHeartsFirstWithinEach) {
  // Nodes 0 to 4 are the heart's.
  const std::vector<std::int32_t> rank_of{1, 0, 1, 0, 1, 0, 0, 1};
  const NodeDealing mine(rank_of, 5, 1, 2);
  EXPECT_THAT(mine.heart(), ElementsAre(0, 2, 4));
  EXPECT_THAT(mine.rest(), ElementsAre(7));
  EXPECT_EQ(mine.first_heart_equation(), 2);
  EXPECT_EQ(mine.first_equation(), 4);
  EXPECT_EQ(mine.heart_equation(1), 0);
  EXPECT_EQ(mine.heart_equation(2), 3);
  EXPECT_EQ(mine.equation(6), 3);
  EXPECT_EQ(mine.equation(7), 7);
  EXPECT_EQ(mine.local_of(4), 2);
  EXPECT_EQ(mine.local_of(3), -1);
}

TEST(NodeDealing, ContiguousBlocksShareTheHeart) {
  EXPECT_THAT(contiguous_ranks(8, 3, 2), ElementsAre(0, 0, 1, 0, 0, 0, 1, 1));
  const std::vector<std::int32_t> few = contiguous_ranks(2, 1, 4);
  EXPECT_THAT(few, ElementsAre(0, 0));
}

TEST(SparseRows, AddsUpAndSorts) {
  SparseRows rows(3);
  rows.add(0, 5, 1);
  rows.add(0, 2, 2);
  rows.add(0, 5, 3);
  rows.add(2, 0, 4);
  const CompressedRows out = rows.compressed();
  EXPECT_THAT(out.begins, ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(out.columns, ElementsAre(2, 5, 0));
  EXPECT_THAT(out.values, ElementsAre(2, 4, 4));
}

TEST(LinearElement, ItsFunctionsAreOneAtACornerAndZeroAtTheOthers) {
  const std::array<Vector3, 4> corners{{{1, 0, 0}, {3, 0, 1}, {1, 2, 0}, {0, 1, 4}}};
  const LinearElement element = linear_element(corners);
  EXPECT_NEAR(element.volume, six_volumes(corners[0], corners[1], corners[2], corners[3]) / 6, 1e-12);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      // From corner a, where its function is 1, to corner b.
      EXPECT_NEAR(1 + dot(element.gradients[a], corners[b] - corners[a]), a == b ? 1 : 0, 1e-12);
    }
  }
}

TEST(Conducted, AlongTheFibreAndAcross) {
  const Vector3 fibre = normalised({1, 1, 0});
  EXPECT_LT(length(conducted({5, 2}, fibre, fibre) - 5 * fibre), 1e-12);
  EXPECT_LT(length(conducted({5, 2}, fibre, {0, 0, 3}) - Vector3{0, 0, 6}), 1e-12);
}

// Constants spread nowhere, and the mass of all is the volume, times chi C / dt; two ranks' rows are those of one.
TEST(Assembly, RowsAddUpAndDoNotDependOnTheRanks) {
  const HeartMesh mesh = slab_mesh(1);
  const NodeDealing alone(contiguous_ranks(mesh.points.size(), mesh.heart_nodes, 1), mesh.heart_nodes, 0, 1);
  const CompressedRows stiffness = heart_stiffness(mesh, alone, {0.2, 0.1});
  const CompressedRows whole = whole_stiffness(mesh, alone, {0.2, 0.1});
  EXPECT_EQ(stiffness.values, whole.values) << "all of the slab is heart";
  const CompressedRows spreading = spreading_matrix(mesh, alone, {0.2, 0.1}, 0.5, 0.5);
  for (std::size_t row = 0; row + 1 < stiffness.begins.size(); ++row) {
    double sum = 0;
    for (auto i = stiffness.begins[row]; i < stiffness.begins[row + 1]; ++i) {
      sum += stiffness.values[static_cast<std::size_t>(i)];
    }
    ASSERT_NEAR(sum, 0, 1e-12);
  }
  const double mass = std::accumulate(spreading.values.begin(), spreading.values.end(), 0.0);
  EXPECT_NEAR(mass, 20 * 7 * 3 * kSurfaceToVolume * kCapacitance / 0.5, 1e-6);

  const std::vector<std::int32_t> rank_of = contiguous_ranks(mesh.points.size(), mesh.heart_nodes, 2);
  std::vector<double> values;
  for (int rank = 0; rank < 2; ++rank) {
    const NodeDealing half(rank_of, mesh.heart_nodes, rank, 2);
    const CompressedRows rows = heart_stiffness(mesh, half, {0.2, 0.1});
    values.insert(values.end(), rows.values.begin(), rows.values.end());
  }
  EXPECT_EQ(values, stiffness.values);
}

TEST(Plates, WhatGoesInComesOut) {
  const HeartMesh mesh = slab_mesh(1);
  EXPECT_EQ(skin_faces(mesh).size(), 2u * 2 * (20 * 7 + 20 * 3 + 7 * 3));
  const std::vector<double> load = plate_load(mesh);
  EXPECT_NEAR(std::accumulate(load.begin(), load.end(), 0.0), 0, 1e-12);
  double in = 0;
  for (const double value : load) in += std::max(0.0, value);
  // The end of 7 x 3 mm, and what of the sides lies within 15 % of it: a millimetre and a half, of which faces of one
  // millimetre have their middles within.
  EXPECT_GT(in, 21);
  EXPECT_LT(in, 21 + 20 * 2);
}

}  // namespace
}  // namespace weft::kernels::ecg
