#include "kernels/picmss/picmss_lines.hpp"

#include <algorithm>

#include "weft/partition/ownership.hpp"

namespace weft::kernels::picmss {

Stretch LineGrid::lines_of(std::uint64_t rank, std::uint64_t ranks) const {
  const partition::Block block = partition::even_block(lines(), static_cast<int>(rank), static_cast<int>(ranks));
  return {block.first, block.count};
}

Stretch LineGrid::with_ghosts(const Stretch& own) const {
  if (own.count == 0) return own;
  const std::uint64_t layer = nodes_[1];
  const std::uint64_t first = own.first - std::min(own.first, layer);
  return {first, std::min(own.end() + layer, lines()) - first};
}

std::uint64_t LineGrid::bricks_before(std::uint64_t line) const {
  const std::uint64_t plane = line / nodes_[1];
  const std::uint64_t of_a_plane = nodes_[1] - 1;  // lines that begin bricks
  const std::uint64_t lines = plane < nodes_[2] - 1 ? plane * of_a_plane + std::min(line % nodes_[1], of_a_plane)
                                                    : (nodes_[2] - 1) * of_a_plane;
  return lines * (nodes_[0] - 1);
}

std::vector<Box> LineGrid::boxes_of(const Stretch& lines) const {
  std::vector<Box> boxes;
  for (std::uint64_t line = lines.first; line < lines.end();) {
    const std::uint64_t plane = line / nodes_[1];
    const std::uint64_t row = line % nodes_[1];
    const std::uint64_t left = lines.end() - line;
    const std::uint64_t planes = row == 0 ? left / nodes_[1] : 0;
    const std::uint64_t rows = planes > 0 ? nodes_[1] : std::min(left, nodes_[1] - row);
    boxes.push_back({{plane, row, 0}, {std::max<std::uint64_t>(planes, 1), rows, nodes_[0]}});
    line += boxes.back().count[0] * rows;
  }
  return boxes;
}

}  // namespace weft::kernels::picmss
