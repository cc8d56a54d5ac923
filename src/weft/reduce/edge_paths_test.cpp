#include "weft/reduce/edge_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/support/error.hpp"

namespace weft::reduce {
namespace {

TEST(EdgePaths, TheExampleOfTheHeader) {
  const std::vector<double> points{0, 0, 0, 1, 0, 0, 3, 0, 0};
  const view::Cells lines{{0, 2, 4}, {0, 1, 1, 2}, {3, 3}};
  EXPECT_EQ(edge_distances(points, lines, 0), (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(edge_distances(points, lines, 2), (std::vector<double>{3, 2, 0}));
}

TEST(EdgePaths, GoAlongEdgesAndTakeTheShorterWay) {
  // A unit square as one quadrilateral has no diagonal; as two triangles it has one.
  const std::vector<double> points{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 9, 9, 9};
  const view::Cells quad{{0, 4, 5}, {0, 1, 2, 3, 4}, {9, 1}};
  const auto around = edge_distances(points, quad, 0);
  EXPECT_EQ(around[2], 2);
  EXPECT_TRUE(std::isinf(around[4])) << "a point by itself";
  const view::Cells triangles{{0, 3, 6}, {0, 1, 2, 0, 2, 3}, {5, 5}};
  EXPECT_DOUBLE_EQ(edge_distances(points, triangles, 0)[2], std::sqrt(2.0));
}

TEST(EdgePaths, OfEveryLinearSolid) {
  std::vector<double> points;
  for (int corner = 0; corner < 8; ++corner) {  // a unit cube, x fastest
    points.insert(points.end(), {double(corner & 1), double(corner >> 1 & 1), double(corner >> 2)});
  }
  const auto far_corner = [&](std::uint8_t type, const std::vector<std::int64_t>& corners) {
    const auto count = static_cast<std::int64_t>(corners.size());
    return edge_distances(points, {{0, count}, corners, {type}}, 0);
  };
  EXPECT_EQ(far_corner(11, {0, 1, 2, 3, 4, 5, 6, 7})[7], 3);
  EXPECT_EQ(far_corner(12, {0, 1, 3, 2, 4, 5, 7, 6})[7], 3);
  EXPECT_EQ(far_corner(10, {0, 1, 2, 4})[4], 1);
  EXPECT_EQ(far_corner(13, {0, 1, 2, 4, 5, 6})[5], 2);
  EXPECT_DOUBLE_EQ(far_corner(14, {0, 1, 3, 2, 4})[3], 2);
}

TEST(EdgePaths, MistakesAreNamed) {
  const std::vector<double> points{0, 0, 0, 1, 0, 0};
  EXPECT_THROW(edge_distances(points, {{0, 2}, {0, 1}, {3}}, 2), Error);
  EXPECT_THROW(edge_distances(points, {{0, 2}, {0, 7}, {3}}, 0), Error);
  EXPECT_THROW(edge_distances(points, {{0, 9}, {0, 1}, {3}}, 0), Error);
  EXPECT_THROW(edge_distances(points, {{0, 2}, {0, 1}, {10}}, 0), Error) << "a tetrahedron of two corners";
  EXPECT_THROW(edge_distances(points, {{0, 2}, {0, 1}, {24}}, 0), Error) << "a quadratic one";
}

}  // namespace
}  // namespace weft::reduce
