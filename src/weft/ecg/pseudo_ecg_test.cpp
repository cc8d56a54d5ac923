#include "weft/ecg/pseudo_ecg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "weft/support/error.hpp"

namespace weft::ecg {
namespace {

struct Mesh {
  std::vector<double> points;
  view::Cells cells{{0}, {}, {}};
  void add(std::uint8_t type, std::initializer_list<std::int64_t> corners) {
    cells.types.push_back(type);
    cells.connectivity.insert(cells.connectivity.end(), corners);
    cells.offsets.push_back(static_cast<std::int64_t>(cells.connectivity.size()));
  }
};

double seen(const Mesh& mesh, const std::array<double, 3>& electrode,
            const std::function<double(double, double, double)>& v) {
  const std::vector<double> weights = pseudo_ecg_weights(mesh.points, mesh.cells, electrode, 1);
  double sum = 0;
  for (std::size_t node = 0; node < weights.size(); ++node) {
    sum += weights[node] * v(mesh.points[3 * node], mesh.points[3 * node + 1], mesh.points[3 * node + 2]);
  }
  return sum;
}

Mesh line(int elements) {
  Mesh mesh;
  for (int i = 0; i <= elements; ++i) mesh.points.insert(mesh.points.end(), {static_cast<double>(i) / elements, 0, 0});
  for (std::int64_t i = 0; i < elements; ++i) mesh.add(3, {i, i + 1});
  return mesh;
}

// The unit cube in n * n * n cubes of six tetrahedra each, which share a diagonal.
Mesh cube(std::int64_t n) {
  Mesh mesh;
  const auto number = [&](std::int64_t i, std::int64_t j, std::int64_t k) { return (i * (n + 1) + j) * (n + 1) + k; };
  for (std::int64_t i = 0; i <= n; ++i) {
    for (std::int64_t j = 0; j <= n; ++j) {
      for (std::int64_t k = 0; k <= n; ++k) {
        for (const std::int64_t at : {i, j, k}) mesh.points.push_back(static_cast<double>(at) / static_cast<double>(n));
      }
    }
  }
  constexpr std::array<std::array<int, 3>, 6> kOrders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t k = 0; k < n; ++k) {
        for (const auto& order : kOrders) {
          std::array<std::int64_t, 3> at{i, j, k};
          std::array<std::int64_t, 4> corners{number(i, j, k)};
          for (std::size_t step = 0; step < 3; ++step) {
            ++at[static_cast<std::size_t>(order[step])];
            corners[step + 1] = number(at[0], at[1], at[2]);
          }
          mesh.add(10, {corners[0], corners[1], corners[2], corners[3]});
        }
      }
    }
  }
  return mesh;
}

TEST(PseudoEcg, OfALineSeenFromItsEnd) {
  const auto v = [](double x, double, double) { return x; };
  EXPECT_NEAR(seen(line(1), {15, 0, 0}, v), -(1.0 / 14 - 1.0 / 15), 1e-7);
  EXPECT_NEAR(seen(line(100), {15, 0, 0}, v), -(1.0 / 14 - 1.0 / 15), 1e-14);
}

// grad V = (1, 0, 0): the integral of d(1/r)/dx over a cube is that of 1/r over its two faces across x, taken here by
// the midpoint rule on very many squares.
TEST(PseudoEcg, OfACubeIsWhatItsFacesSay) {
  const std::array<double, 3> electrode{3, 2, -1};
  const auto face = [&](double x) {
    constexpr int kSquares = 400;
    double sum = 0;
    for (int j = 0; j < kSquares; ++j) {
      for (int k = 0; k < kSquares; ++k) {
        const double y = (j + 0.5) / kSquares;
        const double z = (k + 0.5) / kSquares;
        sum += 1 / std::hypot(x - electrode[0], y - electrode[1], z - electrode[2]);
      }
    }
    return sum / kSquares / kSquares;
  };
  const double expected = -(face(1) - face(0));
  const auto v = [](double x, double, double) { return x; };
  const double coarse = std::fabs(seen(cube(2), electrode, v) - expected);
  const double fine = std::fabs(seen(cube(8), electrode, v) - expected);
  EXPECT_LT(coarse, 1e-4 * std::fabs(expected));
  EXPECT_LT(fine, 1e-6 * std::fabs(expected));
}

TEST(PseudoEcg, AnEvenPotentialIsNotSeen) {
  const auto v = [](double, double, double) { return -85.0; };
  EXPECT_NEAR(seen(cube(3), {2, 2, 2}, v), 0, 1e-11);
  Mesh triangle;
  triangle.points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  triangle.add(5, {0, 1, 2});
  triangle.add(1, {1});  // a lone vertex
  EXPECT_NEAR(seen(triangle, {0, 0, 2}, v), 0, 1e-14);
}

// A triangle sees what two lines' worth of gradient in its plane say: V = x + 2 y from far away is a dipole (1, 2,
// 0)/2.
TEST(PseudoEcg, FarAwayATriangleIsADipole) {
  Mesh triangle;
  triangle.points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  triangle.add(5, {0, 1, 2});
  const double x = 2000;
  const double y = 1000;
  const double r = std::hypot(x - 1.0 / 3, y - 1.0 / 3);
  const double expected = -0.5 * ((x - 1.0 / 3) + 2 * (y - 1.0 / 3)) / (r * r * r);
  const auto v = [](double at_x, double at_y, double) { return at_x + 2 * at_y; };
  EXPECT_NEAR(seen(triangle, {x, y, 0}, v), expected, 1e-6 * std::fabs(expected));
}

TEST(PseudoEcg, RefusesWhatHasNoAnswer) {
  Mesh mesh = line(2);
  EXPECT_THROW(pseudo_ecg_weights(mesh.points, mesh.cells, {0.5, 0, 0}, 1), Error);
  mesh.cells.connectivity[1] = 99;
  EXPECT_THROW(pseudo_ecg_weights(mesh.points, mesh.cells, {9, 0, 0}, 1), Error);
  Mesh open_ended = line(2);
  open_ended.cells.offsets.pop_back();
  EXPECT_THROW(pseudo_ecg_weights(open_ended.points, open_ended.cells, {9, 0, 0}, 1), Error);
  Mesh flat;
  flat.points = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  flat.add(5, {0, 1, 2});
  EXPECT_THROW(pseudo_ecg_weights(flat.points, flat.cells, {9, 0, 0}, 1), Error);
  Mesh hexahedron = line(2);
  hexahedron.cells.types[0] = 12;
  EXPECT_THROW(pseudo_ecg_weights(hexahedron.points, hexahedron.cells, {9, 0, 0}, 1), Error);
}

}  // namespace
}  // namespace weft::ecg
