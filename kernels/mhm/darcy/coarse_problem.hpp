// kernels/mhm/darcy/coarse_problem.hpp - the flow on the coarse mesh, put together from what the local problems say.
//
// Solved by conjugate gradients, in the same order of operations wherever it is done: every rank that has all
// elements' matrices gets the same pressures, to the bit.
#pragma once

#include <span>
#include <vector>

#include "kernels/mhm/darcy/local_problem.hpp"

namespace weft::kernels::mhm {

class CoarseProblem {
 public:
  // One matrix an element.
  CoarseProblem(const CrissCross& mesh, std::vector<CornerMatrix> matrices);

  // The pressure at every node, 0 around the square, for one load an element. Throws Error(data) where the iteration
  // does not end.
  std::vector<double> solve(std::span<const CornerValues> loads) const;
  CornerValues at_corners(std::uint64_t element, std::span<const double> pressure) const;

 private:
  std::vector<double> times(std::span<const double> x) const;

  CrissCross mesh_;
  std::vector<CornerMatrix> matrices_;
  std::vector<bool> fixed_;  // nodes on the boundary
  std::vector<double> diagonal_;
};

}  // namespace weft::kernels::mhm
