#include "kernels/mhm/darcy/coarse_problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::kernels::mhm {

namespace {

constexpr double kTolerance = 1e-12;  // of the residual, compared with the load

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

CoarseProblem::CoarseProblem(const CrissCross& mesh, std::vector<CornerMatrix> matrices)
    : mesh_(mesh), matrices_(std::move(matrices)), diagonal_(mesh.nodes(), 0) {
  for (std::uint64_t node = 0; node < mesh_.nodes(); ++node) fixed_.push_back(mesh_.is_on_boundary(node));
  for (std::uint64_t e = 0; e < matrices_.size(); ++e) {
    const auto nodes = mesh_.nodes_of(e);
    for (std::size_t i = 0; i < 3; ++i) diagonal_[nodes[i]] += matrices_[e][i][i];
  }
}

std::vector<double> CoarseProblem::times(std::span<const double> x) const {
  std::vector<double> product(x.size(), 0);
  for (std::uint64_t e = 0; e < matrices_.size(); ++e) {
    const auto nodes = mesh_.nodes_of(e);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) product[nodes[i]] += matrices_[e][i][j] * x[nodes[j]];
    }
  }
  for (std::size_t node = 0; node < product.size(); ++node) {
    if (fixed_[node]) product[node] = 0;
  }
  return product;
}

std::vector<double> CoarseProblem::solve(std::span<const CornerValues> loads) const {
  std::vector<double> residual(mesh_.nodes(), 0);
  for (std::uint64_t e = 0; e < loads.size(); ++e) {
    const auto nodes = mesh_.nodes_of(e);
    for (std::size_t i = 0; i < 3; ++i) {
      if (!fixed_[nodes[i]]) residual[nodes[i]] += loads[e][i];
    }
  }
  std::vector<double> pressure(residual.size(), 0);
  std::vector<double> direction(residual.size(), 0);
  std::vector<double> scaled(residual.size());
  const double enough = kTolerance * kTolerance * dot(residual, residual);
  double before = 1;
  for (std::uint64_t iteration = 0; iteration < 100 + 10 * mesh_.nodes(); ++iteration) {
    if (dot(residual, residual) <= enough) return pressure;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = residual[i] / diagonal_[i];
    const double now = dot(residual, scaled);
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = scaled[i] + now / before * direction[i];
    before = now;
    const std::vector<double> change = times(direction);
    const double step = now / dot(direction, change);
    for (std::size_t i = 0; i < pressure.size(); ++i) {
      pressure[i] += step * direction[i];
      residual[i] -= step * change[i];
    }
  }
  throw Error(ErrorKind::data, "the coarse problem", "does not converge", "take a smaller --ccross");
}

CornerValues CoarseProblem::at_corners(std::uint64_t element, std::span<const double> pressure) const {
  const auto nodes = mesh_.nodes_of(element);
  return {pressure[nodes[0]], pressure[nodes[1]], pressure[nodes[2]]};
}

}  // namespace weft::kernels::mhm
