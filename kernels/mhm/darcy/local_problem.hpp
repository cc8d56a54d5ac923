// kernels/mhm/darcy/local_problem.hpp - the flow in one triangle of the coarse mesh, by linear elements on its lattice.
//
// The pressure around the triangle is given: linear between its corners. Each small triangle has the permeability of
// its centre; the source is taken at the points. Independent of all other triangles: for one thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/mhm/criss_cross.hpp"
#include "kernels/mhm/darcy/band_cholesky.hpp"
#include "kernels/mhm/darcy/darcy_flow.hpp"

namespace weft::kernels::mhm {

using CornerValues = std::array<double, 3>;
using CornerMatrix = std::array<CornerValues, 3>;

// What every point of the lattice gets of a source: its value there times a third of the small triangles around it.
std::vector<double> local_load(const Corners& corners, const Lattice& lattice, const DarcyFlow& flow, double time);
// Its share at the corners, by their hat functions.
CornerValues coarse_load(const Lattice& lattice, std::span<const double> load);

class LocalProblem {
 public:
  // Makes and factors the matrix.
  LocalProblem(const Corners& corners, const Lattice& lattice, const DarcyFlow& flow);

  // The pressure at all points, for these pressures at the corners.
  void solve(const CornerValues& corners, std::span<const double> load, std::span<double> pressure) const;
  // What the triangle resists to pressures at its corners, without a source: the coarse mesh's element matrix, all that
  // the coarse problem learns of the permeability within.
  CornerMatrix coarse_matrix() const;

 private:
  // The matrix of all points times x.
  std::vector<double> times(std::span<const double> x) const;

  Lattice lattice_;
  CornerMatrix unit_{};                  // of a small triangle where k is 1; all have the same shape
  std::vector<double> permeability_;     // of the small triangles, in their order
  std::vector<std::uint64_t> interior_;  // the points that are not on a side
  BandCholesky matrix_;                  // of them
};

}  // namespace weft::kernels::mhm
