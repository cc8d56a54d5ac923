#include "kernels/mhm/criss_cross.hpp"

namespace weft::kernels {

std::array<std::uint64_t, 3> CrissCross::nodes_of(std::uint64_t element) const {
  const std::uint64_t n = squares();
  const std::uint64_t square = element / 4;
  const std::uint64_t row = square / n;
  const std::uint64_t below_left = row * (n + 1) + square % n;
  // Around the square, counter-clockwise.
  const std::array<std::uint64_t, 4> around{below_left, below_left + 1, below_left + n + 2, below_left + n + 1};
  const std::uint64_t side = element % 4;
  return {around[side], around[(side + 1) % 4], (n + 1) * (n + 1) + square};
}

Place CrissCross::place_of(std::uint64_t node) const {
  const std::uint64_t n = squares();
  const std::uint64_t corners = (n + 1) * (n + 1);
  const bool is_corner = node < corners;
  const std::uint64_t number = is_corner ? node : node - corners;
  const std::uint64_t a_row = is_corner ? n + 1 : n;
  const std::uint64_t column = number % a_row;
  const std::uint64_t row = number / a_row;
  const double shift = is_corner ? 0 : 0.5;
  const auto side = static_cast<double>(n);
  return {(static_cast<double>(column) + shift) / side, (static_cast<double>(row) + shift) / side};
}

bool CrissCross::is_on_boundary(std::uint64_t node) const {
  const std::uint64_t n = squares();
  if (node >= (n + 1) * (n + 1)) return false;
  const std::uint64_t column = node % (n + 1);
  const std::uint64_t row = node / (n + 1);
  return column == 0 || column == n || row == 0 || row == n;
}

Corners CrissCross::corners_of(std::uint64_t element) const {
  const std::array<std::uint64_t, 3> nodes = nodes_of(element);
  return {place_of(nodes[0]), place_of(nodes[1]), place_of(nodes[2])};
}

Place Lattice::place_of(const Corners& corners, std::uint64_t i, std::uint64_t j) const {
  const double along_b = static_cast<double>(i) / static_cast<double>(refinement);
  const double along_c = static_cast<double>(j) / static_cast<double>(refinement);
  const auto& [a, b, c] = corners;
  return {a.x + along_b * (b.x - a.x) + along_c * (c.x - a.x), a.y + along_b * (b.y - a.y) + along_c * (c.y - a.y)};
}

std::vector<Place> Lattice::places(const Corners& corners) const {
  std::vector<Place> places;
  places.reserve(points());
  for (std::uint64_t j = 0; j <= refinement; ++j) {
    for (std::uint64_t i = 0; i + j <= refinement; ++i) places.push_back(place_of(corners, i, j));
  }
  return places;
}

}  // namespace weft::kernels
