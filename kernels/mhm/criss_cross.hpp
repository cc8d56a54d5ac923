// kernels/mhm/criss_cross.hpp - the triangles of the coarse mesh; kernels/mhm/triangle_lattice.hpp refines each.
//
// The unit square is 2^(C-1) x 2^(C-1) squares, each cut by its diagonals into four triangles, which gives 4^C of them.
// Element 4 q + t is triangle t of square q (row by row from below): bottom, right, top, left; its last corner is the
// square's middle. Corners go counter-clockwise.
//
// Example: C = 1: four triangles; element 1 is (1,0), (1,1), (1/2,1/2). Pure arithmetic.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/mhm/triangle_lattice.hpp"

namespace weft::kernels::mhm {

struct CrissCross {
  std::uint64_t ccross = 1;

  std::uint64_t squares() const { return std::uint64_t{1} << (ccross - 1); }  // along a side
  std::uint64_t elements() const { return std::uint64_t{1} << (2 * ccross); }
  // The corners of the squares, row by row, then their middles.
  std::uint64_t nodes() const { return (squares() + 1) * (squares() + 1) + squares() * squares(); }

  std::array<std::uint64_t, 3> nodes_of(std::uint64_t element) const;
  Point place_of(std::uint64_t node) const;
  bool is_on_boundary(std::uint64_t node) const;
  Corners corners_of(std::uint64_t element) const;
};

}  // namespace weft::kernels::mhm
