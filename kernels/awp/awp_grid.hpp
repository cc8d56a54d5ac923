// kernels/awp/awp_grid.hpp - which points of its grid awp writes, and which rank holds them. Pure arithmetic.
//
// Of the grid every skip-th point is written along each axis: floor(n / skip) points, the I/O grid. The I/O grid is
// dealt to a grid of processes in blocks as even as possible, the larger ones first along each axis. Ranks count x
// fastest.
//
// Worked: a grid of 10125 x 5000 x 1060, every second point: an I/O grid of 5062 x 2500 x 530. On 75 x 40 x 10
// processes 37 blocks along x have 68 points and 38 have 67, 20 along y have 63 and 20 have 62, all along z have 53.
#pragma once

#include <cstdint>
#include <map>

#include "kernels/io/extent.hpp"

namespace weft::kernels::awp {

Extent io_grid(const Extent& grid, std::uint64_t skip);

// A rank's points of the I/O grid.
struct GridPart {
  Extent start;
  Extent count;
};

class ProcessGrid {
 public:
  // Along no axis may there be more processes than points, nor 2^31 of either.
  ProcessGrid(const Extent& points, const Extent& processes) : points_(points), processes_(processes) {}

  const Extent& points() const { return points_; }
  const Extent& processes() const { return processes_; }
  GridPart part_of(std::uint64_t rank) const;
  Extent least_part() const;
  Extent greatest_part() const;
  // Points of a part, and how many ranks have so many. At most 8 sizes, whatever the number of ranks.
  std::map<std::uint64_t, std::uint64_t> part_sizes() const;

 private:
  Extent points_;
  Extent processes_;
};

// Of all ways to deal `points` to exactly so many ranks the one whose largest part is smallest, a layer of ghosts
// around it included: even, and compact. Of equals the one with the longest rows. Throws Error(usage) where there is
// none: 7 ranks, and no axis of 7 points.
//
// Example: 101 x 62 x 53 points on 12 ranks: 3 x 2 x 2, parts of 34 x 31 x 27 at most.
Extent even_processes(const Extent& points, std::uint64_t ranks);

}  // namespace weft::kernels::awp
