// The solver on ranks: against formulas, and against itself on one rank.
#include "kernels/ecg/bidomain/bidomain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "kernels/ecg/solve/assembly.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {
namespace {

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

class BidomainTest : public ::testing::Test {
 protected:
  void SetUp() override { session_ = std::make_unique<PetscSession>(MPI_COMM_WORLD, ""); }
  void TearDown() override { session_.reset(); }
  std::unique_ptr<PetscSession> session_;
};

// A node's rank without rhyme or reason.
std::vector<std::int32_t> scattered(std::uint64_t nodes) {
  std::vector<std::int32_t> rank_of(nodes);
  for (std::uint64_t n = 0; n < nodes; ++n) {
    rank_of[n] = static_cast<std::int32_t>((n * 2654435761 & 0xffffffff) % static_cast<std::uint64_t>(ranks()));
  }
  return rank_of;
}

NodeDealing dealt(const HeartMesh& mesh) {
  return NodeDealing(contiguous_ranks(mesh.points.size(), mesh.heart_nodes, ranks()), mesh.heart_nodes, rank(),
                     ranks());
}

// This rank's values, put where they belong among all; then all ranks have all.
std::vector<double> gathered(std::span<const double> mine, const NodeDealing& dealing, std::uint64_t nodes,
                             bool heart_only) {
  std::vector<double> all(nodes, 0);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const bool in_heart = i < dealing.heart().size();
    if (heart_only && !in_heart) continue;
    all[static_cast<std::size_t>(in_heart ? dealing.heart()[i] : dealing.rest()[i - dealing.heart().size()])] = mine[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(nodes), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

// A ball of torso of radius R: cubes drawn onto spheres.
HeartMesh ball(int cubes, double radius) {
  const BisectedBox box({cubes, cubes, cubes}, [&](const Vector3& unit) {
    const Vector3 p{2 * unit.x - 1, 2 * unit.y - 1, 2 * unit.z - 1};
    const double most = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
    return most == 0 ? p : (radius * most / length(p)) * p;
  });
  HeartMesh mesh;
  mesh.points = box.points();
  mesh.tetrahedra = box.tetrahedra();
  mesh.tissues.assign(mesh.tetrahedra.size(), Tissue::torso);
  number_heart_first(mesh);
  return mesh;
}

// A dipole p in the middle of a ball of conductivity s and radius R with no current through its surface:
//   phi = p cos(theta) / (4 pi s) (1 / r^2 + 2 r / R^3)      (e.g. Malmivuo & Plonsey, Bioelectromagnetism, 8.3)
TEST_F(BidomainTest, DipoleInABall) {
  constexpr double kRadius = 100;
  const HeartMesh mesh = ball(24, kRadius);
  const NodeDealing dealing(scattered(mesh.points.size()), 0, rank(), ranks());
  PetscMatrix stiffness(MPI_COMM_WORLD, whole_stiffness(mesh, dealing, {}));
  stiffness.set_constant_kernel();
  PetscSolver solver(stiffness, "ball", "-ball_pc_type gamg", 1e-9, 0);
  PetscVector load(MPI_COMM_WORLD, dealing.local());
  PetscVector phi(MPI_COMM_WORLD, dealing.local());
  // Source and sink on the nodes next to the middle along z.
  std::int32_t source = 0;
  std::int32_t sink = 0;
  for (std::size_t n = 0; n < mesh.points.size(); ++n) {
    const Vector3& p = mesh.points[n];
    if (std::fabs(p.x) > 1e-9 || std::fabs(p.y) > 1e-9) continue;
    if (p.z > 1 && p.z < 1.5 * kRadius / 12) source = static_cast<std::int32_t>(n);
    if (p.z < -1 && p.z > -1.5 * kRadius / 12) sink = static_cast<std::int32_t>(n);
  }
  ASSERT_NE(source, sink);
  const double apart =
      length(mesh.points[static_cast<std::size_t>(source)] - mesh.points[static_cast<std::size_t>(sink)]);
  if (dealing.local_of(source) >= 0) load.values()[static_cast<std::size_t>(dealing.local_of(source))] = 1;
  if (dealing.local_of(sink) >= 0) load.values()[static_cast<std::size_t>(dealing.local_of(sink))] = -1;
  solver.solve(load, phi);

  const std::vector<double> all = gathered(phi.values(), dealing, mesh.points.size(), false);
  double middle = 0;
  double worst = 0;
  double largest = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Vector3& p = mesh.points[n];
    if (length(p) == 0) middle = all[n];
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Vector3& p = mesh.points[n];
    const double r = length(p);
    if (r < kRadius / 2) continue;
    const double expected = apart * (p.z / r) / (4 * std::numbers::pi * conductivity_outside(Tissue::torso)) *
                            (1 / (r * r) + 2 * r / (kRadius * kRadius * kRadius));
    worst = std::max(worst, std::fabs(all[n] - middle - expected));
    largest = std::max(largest, std::fabs(expected));
  }
  EXPECT_LT(worst, 0.04 * largest);
}

// Two millimetres of muscle, fibres along x, under three of blood.
HeartMesh slab_in_bath() {
  HeartMesh mesh;
  const BisectedBox box({10, 4, 5}, [](const Vector3& unit) { return Vector3{20 * unit.x, 8 * unit.y, 5 * unit.z}; });
  mesh.points = box.points();
  mesh.tetrahedra = box.tetrahedra();
  for (const Tetrahedron& t : mesh.tetrahedra) {
    double z = 0;
    for (const std::int32_t n : t) z += mesh.points[static_cast<std::size_t>(n)].z / 4;
    mesh.tissues.push_back(z < 2 ? Tissue::heart : Tissue::blood);
  }
  number_heart_first(mesh);
  mesh.fibres.assign(mesh.heart_tetrahedra, {1, 0, 0});
  mesh.layers.assign(mesh.heart_nodes, CellLayer::epicardium);
  for (std::size_t n = 0; n < mesh.heart_nodes; ++n) {
    if (mesh.points[n].x < 5) mesh.stimuli.push_back({static_cast<std::int32_t>(n), 0});
  }
  mesh.spacing = 1.6;
  mesh.ground = static_cast<std::int32_t>(mesh.points.size() - 1);
  return mesh;
}

BidomainOptions options_of(double dt) {
  BidomainOptions options;
  options.dt = dt;
  options.stimulus = -50;
  options.tolerance = 1e-9;
  // As coarse as it is: conductivities with which a wave runs.
  options.conductivities.intracellular = {1, 0.6};
  options.conductivities.extracellular = {2, 1.5};
  return options;
}

TEST_F(BidomainTest, TheSameOnAnyRanksHoweverNodesAreDealt) {
  const HeartMesh mesh = slab_in_bath();
  const std::uint64_t nodes = mesh.points.size();
  const std::vector<std::int32_t> all_mine(nodes, 0);
  const NodeDealing alone(all_mine, mesh.heart_nodes, 0, 1);
  Bidomain reference(MPI_COMM_SELF, mesh, alone, options_of(0.1));
  const NodeDealing in_blocks = dealt(mesh);
  Bidomain blocks(MPI_COMM_WORLD, mesh, in_blocks, options_of(0.1));
  const NodeDealing at_random(scattered(nodes), mesh.heart_nodes, rank(), ranks());
  Bidomain scatter(MPI_COMM_WORLD, mesh, at_random, options_of(0.1));
  double greatest = -1000;
  for (int ms = 0; ms < 12; ++ms) {
    for (Bidomain* one : {&reference, &blocks, &scatter}) one->advance(10);
    std::vector<double> v(nodes, 0);
    std::vector<double> phi_e(nodes, 0);
    for (std::size_t n = 0; n < nodes; ++n) {
      phi_e[n] = reference.phi_e()[n];
      if (n < mesh.heart_nodes) v[n] = reference.v()[n];
      greatest = std::max(greatest, v[n]);
    }
    EXPECT_LT(farthest(v, gathered(blocks.v(), in_blocks, nodes, true)), 1e-3) << ms;
    EXPECT_LT(farthest(v, gathered(scatter.v(), at_random, nodes, true)), 1e-3) << ms;
    EXPECT_LT(farthest(phi_e, gathered(blocks.phi_e(), in_blocks, nodes, false)), 1e-3) << ms;
    EXPECT_LT(farthest(phi_e, gathered(scatter.phi_e(), at_random, nodes, false)), 1e-3) << ms;
    // What flows into one node flows out of others.
    const Bidomain::Currents currents = scatter.currents();
    EXPECT_GT(currents.absolute, 0);
    EXPECT_LT(std::fabs(currents.sum), 1e-9 * currents.absolute);
  }
  EXPECT_GT(greatest, 20) << "nothing was excited";
}

TEST_F(BidomainTest, GoesOnFromAStateAsIfNothingHadBeen) {
  const HeartMesh mesh = slab_in_bath();
  const NodeDealing dealing = dealt(mesh);
  Bidomain through(MPI_COMM_WORLD, mesh, dealing, options_of(0.1));
  through.advance(50);
  const Bidomain::State state = through.state();
  through.advance(50);
  Bidomain later(MPI_COMM_WORLD, mesh, dealing, options_of(0.1));
  later.restore(state);
  later.advance(50);
  for (std::size_t i = 0; i < later.v().size(); ++i) EXPECT_NEAR(later.v()[i], through.v()[i], 1e-4);
  for (std::size_t i = 0; i < later.phi_e().size(); ++i) EXPECT_NEAR(later.phi_e()[i], through.phi_e()[i], 1e-4);
  EXPECT_NEAR(later.time(), 10, 1e-9);
}

// With plates, current flows through a torso at rest, and its potential falls from the left to the right.
TEST_F(BidomainTest, PlatesDriveACurrentThroughIt) {
  const HeartMesh mesh = slab_in_bath();
  const NodeDealing dealing = dealt(mesh);
  BidomainOptions options = options_of(0.1);
  options.stimulus = 0;
  options.plates = PlateStimulus{0.01, 0, 5};
  Bidomain bidomain(MPI_COMM_WORLD, mesh, dealing, options);
  bidomain.advance(10);
  const std::vector<double> phi_e = gathered(bidomain.phi_e(), dealing, mesh.points.size(), false);
  double left = 0;
  double right = 0;
  for (std::size_t n = 0; n < phi_e.size(); ++n) {
    if (mesh.points[n].x == 20) left = std::max(left, phi_e[n]);
    if (mesh.points[n].x == 0) right = std::min(right, phi_e[n]);
  }
  EXPECT_GT(left - right, 0.05);
  bidomain.advance(60);  // 5 ms are over
  const std::vector<double> after = gathered(bidomain.phi_e(), dealing, mesh.points.size(), false);
  for (const double value : after) EXPECT_LT(std::fabs(value), 0.25 * (left - right));
}

// When these places of the slab, corners of its cubes, are activated, ms.
std::vector<double> activation(double spacing, double dt, double factor, const std::vector<Vector3>& places) {
  const HeartMesh mesh = slab_mesh(spacing);
  const NodeDealing dealing = dealt(mesh);
  BidomainOptions options;
  options.dt = dt;
  options.monodomain = true;
  options.stimulus = mesh.stimulus;
  for (Conductivity* one : {&options.conductivities.intracellular, &options.conductivities.extracellular}) {
    *one = {one->along * factor, one->across * factor};
  }
  std::vector<std::int32_t> nodes;
  for (const Vector3& place : places) {
    for (std::size_t n = 0; n < mesh.points.size(); ++n) {
      if (length(mesh.points[n] - place) < 1e-6) nodes.push_back(static_cast<std::int32_t>(n));
    }
  }
  EXPECT_EQ(nodes.size(), places.size());
  Bidomain bidomain(MPI_COMM_WORLD, mesh, dealing, options);
  std::vector<double> before(nodes.size(), -85);
  std::vector<double> reached(nodes.size(), -1);
  std::size_t left = nodes.size();
  while (bidomain.time() < 120 && left > 0) {
    bidomain.advance(1);
    std::vector<double> now(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::int32_t at = dealing.local_of(nodes[i]);
      if (at >= 0) now[i] = bidomain.v()[static_cast<std::size_t>(at)];
    }
    MPI_Allreduce(MPI_IN_PLACE, now.data(), static_cast<int>(now.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (reached[i] < 0 && now[i] > 0) {
        reached[i] = bidomain.time() - dt * now[i] / (now[i] - before[i]);
        --left;
      }
    }
    before = now;
  }
  EXPECT_EQ(left, 0u) << "the wave did not come by";
  return reached;
}

// With four times the benchmark's conductivities, or eight, so that half a millimetre resolves the wave across the
// fibres too.
TEST_F(BidomainTest, HalvingTheStepMovesActivationLittle) {
  const std::vector<Vector3> corner{{20, 7, 3}};
  const double once = activation(0.5, 0.1, 4, corner)[0];
  EXPECT_NEAR(activation(0.5, 0.05, 4, corner)[0] / once, 1, 0.02);
}

TEST_F(BidomainTest, TwiceTheConductivityIsFasterByTheRootOfTwo) {
  const std::vector<Vector3> along_the_fibres{{8, 0, 0}, {18, 0, 0}};
  const std::vector<double> once = activation(0.5, 0.05, 4, along_the_fibres);
  const std::vector<double> twice = activation(0.5, 0.05, 8, along_the_fibres);
  EXPECT_NEAR((once[1] - once[0]) / (twice[1] - twice[0]), std::sqrt(2.0), 0.05);
}

TEST_F(BidomainTest, WhatCannotBeIsRefused) {
  const HeartMesh mesh = slab_in_bath();
  const NodeDealing dealing = dealt(mesh);
  BidomainOptions options = options_of(0.1);
  options.stimulus = -1e5;
  Bidomain beyond(MPI_COMM_WORLD, mesh, dealing, options);
  EXPECT_THROW(beyond.advance(10), Error);
}

}  // namespace
}  // namespace weft::kernels::ecg
