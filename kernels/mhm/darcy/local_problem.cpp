#include "kernels/mhm/darcy/local_problem.hpp"

#include <cstddef>
#include <limits>

namespace weft::kernels::mhm {

namespace {

constexpr std::uint64_t kOnASide = std::numeric_limits<std::uint64_t>::max();

// (grad of hat i) . (grad of hat j), integrated: the sides opposite i and j, multiplied, over four times the area.
CornerMatrix unit_matrix(const Corners& c) {
  std::array<Point, 3> side;
  for (std::size_t i = 0; i < 3; ++i) {
    const Point& from = c[(i + 1) % 3];
    const Point& to = c[(i + 2) % 3];
    side[i] = {to.x - from.x, to.y - from.y};
  }
  CornerMatrix matrix;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      matrix[i][j] = (side[i].x * side[j].x + side[i].y * side[j].y) / (4 * area(c));
    }
  }
  return matrix;
}

// The corners' hat functions at point (i, j).
CornerValues hats(const Lattice& lattice, std::uint64_t i, std::uint64_t j) {
  const auto s = static_cast<double>(lattice.refinement);
  const double b = static_cast<double>(i) / s;
  const double c = static_cast<double>(j) / s;
  return {1 - b - c, b, c};
}

std::uint64_t interior_points(const Lattice& lattice) {
  return lattice.refinement < 3 ? 0 : Lattice{lattice.refinement - 3}.points();
}

}  // namespace

std::vector<double> local_load(const Corners& corners, const Lattice& lattice, const DarcyFlow& flow, double time) {
  std::vector<double> load(lattice.points(), 0);
  const double third = area(corners) / static_cast<double>(3 * lattice.triangles());
  lattice.visit_triangles([&](const std::array<std::uint64_t, 3>& points) {
    for (const std::uint64_t point : points) load[point] += third;
  });
  lattice.visit_points([&](std::uint64_t point, std::uint64_t i, std::uint64_t j) {
    load[point] *= flow.source(lattice.place_of(corners, i, j), time);
  });
  return load;
}

CornerValues coarse_load(const Lattice& lattice, std::span<const double> load) {
  CornerValues sum{};
  lattice.visit_points([&](std::uint64_t point, std::uint64_t i, std::uint64_t j) {
    const CornerValues hat = hats(lattice, i, j);
    for (std::size_t c = 0; c < 3; ++c) sum[c] += hat[c] * load[point];
  });
  return sum;
}

// Interior points are numbered row by row, so that neighbours are at most a row, of S - 2 points, apart.
LocalProblem::LocalProblem(const Corners& corners, const Lattice& lattice, const DarcyFlow& flow)
    : lattice_(lattice),
      unit_(unit_matrix(corners)),
      matrix_(interior_points(lattice), lattice.refinement < 3 ? 0 : lattice.refinement - 2) {
  const std::vector<Point> places = lattice.places(corners);
  std::vector<std::uint64_t> row_of(lattice.points(), kOnASide);
  lattice.visit_points([&](std::uint64_t point, std::uint64_t i, std::uint64_t j) {
    if (i == 0 || j == 0 || i + j == lattice.refinement) return;
    row_of[point] = interior_.size();
    interior_.push_back(point);
  });
  permeability_.reserve(lattice.triangles());
  lattice.visit_triangles([&](const std::array<std::uint64_t, 3>& points) {
    Point centre;
    for (const std::uint64_t point : points) {
      centre.x += places[point].x / 3;
      centre.y += places[point].y / 3;
    }
    const double k = flow.permeability(centre);
    permeability_.push_back(k);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        const std::uint64_t row = row_of[points[a]];
        const std::uint64_t column = row_of[points[b]];
        if (row != kOnASide && column != kOnASide && column <= row) matrix_.add(row, column, k * unit_[a][b]);
      }
    }
  });
  matrix_.factor();
}

std::vector<double> LocalProblem::times(std::span<const double> x) const {
  std::vector<double> product(lattice_.points(), 0);
  std::size_t triangle = 0;
  lattice_.visit_triangles([&](const std::array<std::uint64_t, 3>& points) {
    const double k = permeability_[triangle++];
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) product[points[a]] += k * unit_[a][b] * x[points[b]];
    }
  });
  return product;
}

void LocalProblem::solve(const CornerValues& corners, std::span<const double> load, std::span<double> pressure) const {
  lattice_.visit_points([&](std::uint64_t point, std::uint64_t i, std::uint64_t j) {
    const CornerValues hat = hats(lattice_, i, j);
    pressure[point] = corners[0] * hat[0] + corners[1] * hat[1] + corners[2] * hat[2];
  });
  // What is missing to the linear pressure, which is right on the sides.
  const std::vector<double> of_linear = times(pressure);
  std::vector<double> missing;
  missing.reserve(interior_.size());
  for (const std::uint64_t point : interior_) missing.push_back(load[point] - of_linear[point]);
  matrix_.solve(missing);
  for (std::size_t row = 0; row < interior_.size(); ++row) pressure[interior_[row]] += missing[row];
}

CornerMatrix LocalProblem::coarse_matrix() const {
  const std::vector<double> no_load(lattice_.points(), 0);
  std::vector<double> pressure(lattice_.points());
  CornerMatrix matrix{};
  for (std::size_t corner = 0; corner < 3; ++corner) {
    CornerValues one{};
    one[corner] = 1;
    solve(one, no_load, pressure);
    matrix[corner] = coarse_load(lattice_, times(pressure));
  }
  for (std::size_t i = 0; i < 3; ++i) {  // symmetric but for rounding
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i] = (matrix[i][j] + matrix[j][i]) / 2;
  }
  return matrix;
}

}  // namespace weft::kernels::mhm
