// The parts of the solver, by solutions that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/mhm/darcy/coarse_problem.hpp"

namespace weft::kernels::mhm {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(BandCholesky, SolvesWhatWasMultiplied) {
  constexpr std::uint64_t kRows = 40;
  constexpr std::uint64_t kWidth = 5;
  BandCholesky matrix(kRows, kWidth);
  const auto entry = [](std::uint64_t r, std::uint64_t c) {
    const std::uint64_t apart = r > c ? r - c : c - r;
    if (apart > kWidth) return 0.0;
    return apart == 0 ? 12.0 : 1.0 / static_cast<double>(apart + (r + c) % 3);
  };
  std::vector<double> solution;
  for (std::uint64_t r = 0; r < kRows; ++r) solution.push_back(std::sin(static_cast<double>(r)));
  std::vector<double> values(kRows, 0);
  for (std::uint64_t r = 0; r < kRows; ++r) {
    for (std::uint64_t c = 0; c < kRows; ++c) {
      values[r] += entry(r, c) * solution[c];
      if (c <= r && r - c <= kWidth) matrix.add(r, c, entry(r, c));
    }
  }
  matrix.factor();
  matrix.solve(values);
  for (std::uint64_t r = 0; r < kRows; ++r) EXPECT_NEAR(values[r], solution[r], 1e-12);
}

// k = 1 + x + 2 y, p = sin(pi x) sin(pi y).
double exact(const Point& at) { return std::sin(kPi * at.x) * std::sin(kPi * at.y); }

DarcyFlow smooth_flow() {
  const auto permeability = [](const Point& at) { return 1 + at.x + 2 * at.y; };
  const auto source = [=](const Point& at, double) {
    const double by_x = kPi * std::cos(kPi * at.x) * std::sin(kPi * at.y);
    const double by_y = kPi * std::sin(kPi * at.x) * std::cos(kPi * at.y);
    return 2 * kPi * kPi * permeability(at) * exact(at) - by_x - 2 * by_y;
  };
  return {permeability, source};
}

// All triangles' pressures, as the source of the kernel makes them, on one rank: the largest error at any point.
double largest_error(std::uint64_t ccross, std::uint64_t refinement) {
  const CrissCross mesh{ccross};
  const Lattice lattice{refinement};
  const DarcyFlow flow = smooth_flow();
  std::vector<CornerMatrix> matrices;
  std::vector<CornerValues> loads;
  for (std::uint64_t e = 0; e < mesh.elements(); ++e) {
    matrices.push_back(LocalProblem(mesh.corners_of(e), lattice, flow).coarse_matrix());
    loads.push_back(coarse_load(lattice, local_load(mesh.corners_of(e), lattice, flow, 0)));
  }
  const CoarseProblem coarse(mesh, matrices);
  const std::vector<double> pressure = coarse.solve(loads);
  double error = 0;
  for (std::uint64_t e = 0; e < mesh.elements(); ++e) {
    const Corners corners = mesh.corners_of(e);
    std::vector<double> local(lattice.points());
    LocalProblem(corners, lattice, flow)
        .solve(coarse.at_corners(e, pressure), local_load(corners, lattice, flow, 0), local);
    const std::vector<Point> places = lattice.places(corners);
    for (std::size_t n = 0; n < local.size(); ++n) error = std::max(error, std::abs(local[n] - exact(places[n])));
  }
  return error;
}

// The method is of second order in the size of the coarse triangles: half of it, a quarter of the error.
TEST(Darcy, ErrorFallsWithTheSquareOfTheTriangles) {
  double before = largest_error(2, 8);
  for (std::uint64_t ccross = 3; ccross <= 6; ++ccross) {
    const double now = largest_error(ccross, 8);
    EXPECT_GT(before / now, 3.2) << ccross;
    EXPECT_LT(before / now, 4.8) << ccross;
    before = now;
  }
  EXPECT_LT(before, 2e-3);
}

// A local problem alone, where the pressure is linear on the sides: p = x y (1 - x - y) in the triangle (0,0), (1,0),
// (0,1), with k = 1, so that f = 2 (x + y).
TEST(Darcy, LocalErrorFallsWithTheSquareOfTheSteps) {
  const DarcyFlow flow{[](const Point&) { return 1.0; }, [](const Point& at, double) { return 2 * (at.x + at.y); }};
  const Corners corners{Point{0, 0}, Point{1, 0}, Point{0, 1}};
  double before = 0;
  for (const std::uint64_t refinement : {8U, 16U, 32U, 64U}) {
    const Lattice lattice{refinement};
    std::vector<double> pressure(lattice.points());
    LocalProblem(corners, lattice, flow).solve({0, 0, 0}, local_load(corners, lattice, flow, 0), pressure);
    double error = 0;
    const std::vector<Point> places = lattice.places(corners);
    for (std::size_t n = 0; n < pressure.size(); ++n) {
      const auto& [x, y] = places[n];
      error = std::max(error, std::abs(pressure[n] - x * y * (1 - x - y)));
    }
    if (before > 0 && error > 1e-14) {
      EXPECT_GT(before / error, 3.5) << refinement;
      EXPECT_LT(before / error, 4.5) << refinement;
    }
    before = error;
  }
}

TEST(Darcy, ALinearPressureIsFoundExactly) {
  const DarcyFlow flow{[](const Point&) { return 3.0; }, [](const Point&, double) { return 0.0; }};
  const Corners corners{Point{0.1, 0}, Point{1, 0.3}, Point{0.4, 0.9}};
  const auto linear = [](const Point& at) { return 2 - 3 * at.x + at.y; };
  for (const std::uint64_t refinement : {1U, 2U, 3U, 7U}) {
    const Lattice lattice{refinement};
    std::vector<double> pressure(lattice.points());
    LocalProblem(corners, lattice, flow)
        .solve({linear(corners[0]), linear(corners[1]), linear(corners[2])}, std::vector<double>(lattice.points(), 0),
               pressure);
    const std::vector<Point> places = lattice.places(corners);
    for (std::size_t n = 0; n < pressure.size(); ++n) EXPECT_NEAR(pressure[n], linear(places[n]), 1e-12);
  }
}

// The coarse matrix is that of a linear element where k is constant; a layered k resists as the theory says: layers
// one behind the other (harmonic mean) less than side by side (arithmetic).
TEST(Darcy, TheCoarseMatrixKnowsThePermeabilityWithin) {
  const Corners corners{Point{0, 0}, Point{1, 0}, Point{0, 1}};
  const auto matrix = [&](const std::function<double(const Point&)>& k) {
    return LocalProblem(corners, Lattice{32}, {k, {}}).coarse_matrix();
  };
  const CornerMatrix plain = matrix([](const Point&) { return 5.0; });
  EXPECT_NEAR(plain[0][0], 5, 1e-10);
  EXPECT_NEAR(plain[0][1], -2.5, 1e-10);
  EXPECT_NEAR(plain[1][2], 0, 1e-10);
  const CornerMatrix layers = matrix([](const Point& at) { return std::fmod(at.x, 0.25) < 0.125 ? 1.0 : 10.0; });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(layers[i][0] + layers[i][1] + layers[i][2], 0, 1e-10);
  // Corner 1 drives flow across the layers, corner 2 along them.
  EXPECT_LT(layers[1][1], 0.75 * layers[2][2]);
}

TEST(Darcy, PressureOfTheRoughFlowHasBothSigns) {
  const DarcyFlow flow = rough_flow();
  double least = 1e300;
  double most = 0;
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 1000; ++j) {
      const double k = flow.permeability({i / 1000.0, j / 1000.0});
      least = std::min(least, k);
      most = std::max(most, k);
    }
  }
  EXPECT_GT(least, 0);
  EXPECT_GT(most / least, 25);
  EXPECT_GT(flow.source({0.75, 0.5}, 0), 0);
  EXPECT_LT(flow.source({0.25, 0.5}, 0), 0);
  EXPECT_NE(flow.source({0.75, 0.5}, 0), flow.source({0.75, 0.5}, 1));
}

}  // namespace
}  // namespace weft::kernels::mhm
