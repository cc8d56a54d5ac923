#include "kernels/awp/awp_grid.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "weft/partition/ownership.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::awp {

Extent io_grid(const Extent& grid, std::uint64_t skip) {
  Extent points{};
  for (std::size_t axis = 0; axis < 3; ++axis) points[axis] = grid[axis] / skip;
  return points;
}

GridPart ProcessGrid::part_of(std::uint64_t rank) const {
  GridPart part{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto place = static_cast<int>(rank % processes_[axis]);
    rank /= processes_[axis];
    const partition::Block block = partition::even_block(points_[axis], place, static_cast<int>(processes_[axis]));
    part.start[axis] = block.first;
    part.count[axis] = block.count;
  }
  return part;
}

Extent ProcessGrid::least_part() const {
  Extent least{};
  for (std::size_t axis = 0; axis < 3; ++axis) least[axis] = points_[axis] / processes_[axis];
  return least;
}

Extent ProcessGrid::greatest_part() const {
  Extent most{};
  for (std::size_t axis = 0; axis < 3; ++axis) most[axis] = ceil_div(points_[axis], processes_[axis]);
  return most;
}

std::map<std::uint64_t, std::uint64_t> ProcessGrid::part_sizes() const {
  std::map<std::uint64_t, std::uint64_t> sizes{{1, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t length = points_[axis] / processes_[axis];
    const std::uint64_t longer = points_[axis] % processes_[axis];  // so many blocks have one point more
    std::map<std::uint64_t, std::uint64_t> longer_sizes;
    for (const auto& [points, ranks] : sizes) {
      longer_sizes[points * length] += ranks * (processes_[axis] - longer);
      if (longer > 0) longer_sizes[points * (length + 1)] += ranks * longer;
    }
    sizes = std::move(longer_sizes);
  }
  return sizes;
}

namespace {

std::vector<std::uint64_t> divisors(std::uint64_t number) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t d = 1; d <= number / d; ++d) {
    if (number % d != 0) continue;
    found.push_back(d);
    if (d != number / d) found.push_back(number / d);
  }
  return found;
}

}  // namespace

Extent even_processes(const Extent& points, std::uint64_t ranks) {
  std::optional<std::pair<std::uint64_t, Extent>> best;  // the largest part with its ghosts
  const std::vector<std::uint64_t> along = divisors(ranks);
  for (const std::uint64_t px : along) {
    for (const std::uint64_t py : along) {
      if (ranks / px % py != 0) continue;
      const Extent processes{px, py, ranks / px / py};
      if (px > points[0] || py > points[1] || processes[2] > points[2]) continue;
      const auto [x, y, z] = ProcessGrid(points, processes).greatest_part();
      const std::pair found{(x + 2) * (y + 2) * (z + 2), processes};
      if (!best || found < *best) best = found;
    }
  }
  if (!best) {
    throw Error(ErrorKind::usage, fmt::format("{} ranks", ranks),
                fmt::format("do not fit an I/O grid of {}", to_string(points)),
                "use a number of ranks with divisors that fit, a larger --grid or a smaller --skip");
  }
  return best->second;
}

}  // namespace weft::kernels::awp
