// kernels/mhm/triangle_lattice.hpp - a triangle refined into smaller ones, all of its shape.
//
// A triangle A, B, C refined S times has the points A + i/S (B - A) + j/S (C - A) for i + j <= S, row j after row j, in
// a row i after i, and S^2 triangles: those that stand as the whole one does, and between them those turned around.
//
// Example: S = 2: six points, of which number 3 is i = 0, j = 1; triangles 0 1 3, 4 3 1, 1 2 4, 3 4 5. Pure arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace weft::kernels::mhm {

struct Point {
  double x = 0;
  double y = 0;
};
using Corners = std::array<Point, 3>;

// Of a triangle; negative where its corners go around clockwise.
inline double area(const Corners& c) {
  return ((c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y)) / 2;
}

struct Lattice {
  std::uint64_t refinement = 1;

  std::uint64_t points() const { return (refinement + 1) * (refinement + 2) / 2; }
  std::uint64_t triangles() const { return refinement * refinement; }
  // Of i, j: row j begins behind rows of S + 1, S, ... points.
  std::uint64_t number(std::uint64_t i, std::uint64_t j) const { return j * (refinement + 1) - j * (j - 1) / 2 + i; }
  Point place_of(const Corners& corners, std::uint64_t i, std::uint64_t j) const {
    const double along_b = static_cast<double>(i) / static_cast<double>(refinement);
    const double along_c = static_cast<double>(j) / static_cast<double>(refinement);
    const auto& [a, b, c] = corners;
    return {a.x + along_b * (b.x - a.x) + along_c * (c.x - a.x), a.y + along_b * (b.y - a.y) + along_c * (c.y - a.y)};
  }

  // visit(number, i, j) for every point in order.
  template <typename Visit>
  void visit_points(const Visit& visit) const {
    std::uint64_t point = 0;
    for (std::uint64_t j = 0; j <= refinement; ++j) {
      for (std::uint64_t i = 0; i + j <= refinement; ++i) visit(point++, i, j);
    }
  }
  // visit(three points) for every triangle, row after row. Sides are parallel to the whole one's in the same order,
  // also of those turned around, so corners go around the same way.
  template <typename Visit>
  void visit_triangles(const Visit& visit) const {
    for (std::uint64_t j = 0; j < refinement; ++j) {
      for (std::uint64_t i = 0; i + j < refinement; ++i) {
        visit(std::array{number(i, j), number(i + 1, j), number(i, j + 1)});
        if (i + j + 1 < refinement) visit(std::array{number(i + 1, j + 1), number(i, j + 1), number(i + 1, j)});
      }
    }
  }

  // The points' places in order.
  std::vector<Point> places(const Corners& corners) const {
    std::vector<Point> places;
    places.reserve(points());
    visit_points([&](std::uint64_t, std::uint64_t i, std::uint64_t j) { places.push_back(place_of(corners, i, j)); });
    return places;
  }
};

}  // namespace weft::kernels::mhm
