#include "kernels/mhm/criss_cross.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace weft::kernels {
namespace {

double area(const Place& a, const Place& b, const Place& c) {
  return ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)) / 2;
}

TEST(CrissCross, FillsTheUnitSquare) {
  for (std::uint64_t ccross = 1; ccross <= 5; ++ccross) {
    const CrissCross mesh{ccross};
    EXPECT_EQ(mesh.elements(), std::uint64_t{1} << 2 * ccross);
    double sum = 0;
    std::set<std::uint64_t> used;
    for (std::uint64_t e = 0; e < mesh.elements(); ++e) {
      const Corners corners = mesh.corners_of(e);
      EXPECT_DOUBLE_EQ(area(corners[0], corners[1], corners[2]), 1.0 / static_cast<double>(mesh.elements()));
      sum += area(corners[0], corners[1], corners[2]);
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
    const Place place = mesh.place_of(node);
    EXPECT_EQ(mesh.is_on_boundary(node), place.x == 0 || place.x == 1 || place.y == 0 || place.y == 1);
  }
}

TEST(Lattice, CountsAndNumbersItsPoints) {
  for (std::uint64_t s = 1; s < 9; ++s) {
    const Lattice lattice{s};
    std::uint64_t next = 0;
    for (std::uint64_t j = 0; j <= s; ++j) {
      for (std::uint64_t i = 0; i + j <= s; ++i) EXPECT_EQ(lattice.number(i, j), next++);
    }
    EXPECT_EQ(next, lattice.points());
    EXPECT_EQ(lattice.places({}).size(), lattice.points());
  }
  EXPECT_EQ(Lattice{2}.number(0, 1), 3U);
}

TEST(Lattice, ItsTrianglesFillTheWholeOne) {
  const Corners corners{Place{1, 1}, Place{3, 1.5}, Place{1.5, 4}};
  for (std::uint64_t s = 1; s < 7; ++s) {
    const Lattice lattice{s};
    const std::vector<Place> places = lattice.places(corners);
    std::uint64_t triangles = 0;
    lattice.visit_triangles([&](const std::array<std::uint64_t, 3>& t) {
      ++triangles;
      EXPECT_NEAR(area(places[t[0]], places[t[1]], places[t[2]]),
                  area(corners[0], corners[1], corners[2]) / static_cast<double>(s * s), 1e-12);
      // Sides are parallel to the whole one's: B' - A' is B - A over S, or turned around.
      const double x = (places[t[1]].x - places[t[0]].x) * static_cast<double>(s);
      EXPECT_NEAR(std::abs(x), corners[1].x - corners[0].x, 1e-12);
    });
    EXPECT_EQ(triangles, lattice.triangles());
  }
}

}  // namespace
}  // namespace weft::kernels
