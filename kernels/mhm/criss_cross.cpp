#include "kernels/mhm/criss_cross.hpp"

namespace weft::kernels::mhm {

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

Point CrissCross::place_of(std::uint64_t node) const {
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

}  // namespace weft::kernels::mhm
