#include "kernels/mhm/criss_cross.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weft::kernels::mhm {
namespace {

TEST(CrissCross, FillsTheUnitSquare) {
  for (std::uint64_t ccross = 1; ccross <= 5; ++ccross) {
    const CrissCross mesh{ccross};
    EXPECT_EQ(mesh.elements(), std::uint64_t{1} << 2 * ccross);
    double sum = 0;
    std::set<std::uint64_t> used;
    for (std::uint64_t e = 0; e < mesh.elements(); ++e) {
      const Corners corners = mesh.corners_of(e);
      EXPECT_DOUBLE_EQ(area(corners), 1.0 / static_cast<double>(mesh.elements()));
      sum += area(corners);
      for (const std::uint64_t node : mesh.nodes_of(e)) used.insert(node);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_EQ(used.size(), mesh.nodes());
  }
}

TEST(CrissCross, TheExampleOfTheHeader) {
  const CrissCross mesh{1};
  const Corners corners = mesh.corners_of(1);
  EXPECT_EQ(corners[0].x, 1);
  EXPECT_EQ(corners[0].y, 0);
  EXPECT_EQ(corners[1].y, 1);
  EXPECT_EQ(corners[2].x, 0.5);
  EXPECT_EQ(corners[2].y, 0.5);
}

TEST(CrissCross, KnowsItsBoundary) {
  const CrissCross mesh{3};
  for (std::uint64_t node = 0; node < mesh.nodes(); ++node) {
    const Point place = mesh.place_of(node);
    EXPECT_EQ(mesh.is_on_boundary(node), place.x == 0 || place.x == 1 || place.y == 0 || place.y == 1);
  }
}

}  // namespace
}  // namespace weft::kernels::mhm
