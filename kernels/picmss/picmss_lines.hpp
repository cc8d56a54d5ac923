// kernels/picmss/picmss_lines.hpp - which nodes of its grid a rank of picmss has. Pure arithmetic.
//
// A grid of nx x ny x nz nodes, x fastest, is ny * nz lines of nx nodes. Lines are dealt to ranks in blocks as even as
// possible, the larger ones first; so a rank's nodes are contiguous, whether they make part of a plane or several. It
// holds ghosts too: the ny lines before its own and the ny behind them, as far as there are any, in one array with
// them.
//
// A brick belongs to the rank of its first corner. Line j of plane k begins nx - 1 bricks, but the last line of a plane
// and all of the last plane begin none; so a rank's bricks are contiguous too.
//
// Worked: 256 x 256 x 256 nodes on 3,000 ranks. 65,536 lines: 2,536 ranks have 22 and 464 have 21. Rank 0 holds its 22
// lines and 256 of ghosts behind them, rank 1500 has 256 before them as well.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/io/extent.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::picmss {

// Consecutive lines, or nodes, or bricks.
struct Stretch {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t end() const { return first + count; }
  bool operator==(const Stretch&) const = default;
};

class LineGrid {
 public:
  // At least 2 nodes along each axis.
  explicit LineGrid(const Extent& nodes) : nodes_(nodes) {}

  const Extent& extent() const { return nodes_; }
  std::uint64_t line_nodes() const { return nodes_[0]; }
  std::uint64_t lines() const { return nodes_[1] * nodes_[2]; }
  std::uint64_t nodes() const { return volume(nodes_); }
  std::uint64_t bricks() const { return bricks_before(lines()); }

  // A rank's own lines; with more ranks than lines the last ones have none.
  Stretch lines_of(std::uint64_t rank, std::uint64_t ranks) const;
  // Those with ghosts around them. No lines have no ghosts.
  Stretch with_ghosts(const Stretch& own) const;
  Stretch nodes_of(const Stretch& lines) const { return {lines.first * nodes_[0], lines.count * nodes_[0]}; }
  Stretch bricks_of(const Stretch& lines) const {
    const std::uint64_t first = bricks_before(lines.first);
    return {first, bricks_before(lines.end()) - first};
  }
  // The lines as boxes of an array {nz, ny, nx}, one behind the other: part of a plane, whole planes, part
  // of a plane.
  std::vector<Box> boxes_of(const Stretch& lines) const;

 private:
  std::uint64_t bricks_before(std::uint64_t line) const;

  Extent nodes_;
};

}  // namespace weft::kernels::picmss
