#include "kernels/mhm/triangle_lattice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace weft::kernels::mhm {
namespace {

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
  const Corners corners{Point{1, 1}, Point{3, 1.5}, Point{1.5, 4}};
  for (std::uint64_t s = 1; s < 7; ++s) {
    const Lattice lattice{s};
    const std::vector<Point> places = lattice.places(corners);
    std::uint64_t triangles = 0;
    lattice.visit_triangles([&](const std::array<std::uint64_t, 3>& t) {
      ++triangles;
      EXPECT_NEAR(area({places[t[0]], places[t[1]], places[t[2]]}), area(corners) / static_cast<double>(s * s), 1e-12);
      // Sides are parallel to the whole one's: B' - A' is B - A over S, or turned around.
      const double x = (places[t[1]].x - places[t[0]].x) * static_cast<double>(s);
      EXPECT_NEAR(std::abs(x), corners[1].x - corners[0].x, 1e-12);
    });
    EXPECT_EQ(triangles, lattice.triangles());
  }
}

TEST(Lattice, TheExampleOfTheHeader) {
  using testing::ElementsAre;
  std::vector<std::array<std::uint64_t, 3>> triangles;
  Lattice{2}.visit_triangles([&](const auto& triangle) { triangles.push_back(triangle); });
  EXPECT_THAT(triangles,
              ElementsAre(ElementsAre(0, 1, 3), ElementsAre(4, 3, 1), ElementsAre(1, 2, 4), ElementsAre(3, 4, 5)));
}

}  // namespace
}  // namespace weft::kernels::mhm
