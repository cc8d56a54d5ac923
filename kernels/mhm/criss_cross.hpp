// kernels/mhm/criss_cross.hpp - the triangles of the coarse mesh, and how each is refined.
//
// The unit square is 2^(C-1) x 2^(C-1) squares, each cut by its diagonals into four triangles, which gives 4^C of them.
// Element 4 q + t is triangle t of square q (row by row from below): bottom, right, top, left; its last corner is the
// square's middle. Corners go counter-clockwise.
//
// A triangle A, B, C refined S times has the points A + i/S (B - A) + j/S (C - A) for i + j <= S, row j after row j, in
// a row i after i, and S^2 triangles.
//
// Example: C = 1: four triangles; element 1 is (1,0), (1,1), (1/2,1/2). S = 2: six points, of which number 3 is
// i = 0, j = 1. Pure arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace weft::kernels {

struct Place {
  double x = 0;
  double y = 0;
};
using Corners = std::array<Place, 3>;

struct CrissCross {
  std::uint64_t ccross = 1;

  std::uint64_t squares() const { return std::uint64_t{1} << (ccross - 1); }  // along a side
  std::uint64_t elements() const { return std::uint64_t{1} << (2 * ccross); }
  // The corners of the squares, row by row, then their middles.
  std::uint64_t nodes() const { return (squares() + 1) * (squares() + 1) + squares() * squares(); }

  std::array<std::uint64_t, 3> nodes_of(std::uint64_t element) const;
  Place place_of(std::uint64_t node) const;
  bool is_on_boundary(std::uint64_t node) const;
  Corners corners_of(std::uint64_t element) const;
};

struct Lattice {
  std::uint64_t refinement = 1;

  std::uint64_t points() const { return (refinement + 1) * (refinement + 2) / 2; }
  std::uint64_t triangles() const { return refinement * refinement; }
  // Of i, j: row j begins behind rows of S + 1, S, ... points.
  std::uint64_t number(std::uint64_t i, std::uint64_t j) const { return j * (refinement + 1) - j * (j - 1) / 2 + i; }
  Place place_of(const Corners& corners, std::uint64_t i, std::uint64_t j) const;

  // The points' places in order.
  std::vector<Place> places(const Corners& corners) const;
  // visit(three points) for every triangle, counter-clockwise, row after row: those like the whole one begin at its
  // corner A's side; those turned around begin opposite, so that their sides are parallel in the same order.
  template <typename Visit>
  void visit_triangles(const Visit& visit) const {
    for (std::uint64_t j = 0; j < refinement; ++j) {
      for (std::uint64_t i = 0; i + j < refinement; ++i) {
        visit(std::array{number(i, j), number(i + 1, j), number(i, j + 1)});
        if (i + j + 1 < refinement) visit(std::array{number(i + 1, j + 1), number(i, j + 1), number(i + 1, j)});
      }
    }
  }
};

}  // namespace weft::kernels
