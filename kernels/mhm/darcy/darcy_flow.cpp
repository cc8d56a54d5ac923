#include "kernels/mhm/darcy/darcy_flow.hpp"

#include <cmath>
#include <numbers>

namespace weft::kernels::mhm {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kContrast = 1.8;
constexpr double kPeriod = 0.08;

double rough_permeability(const Point& at) {
  const double sin_x = 2 + kContrast * std::sin(kTurn * at.x / kPeriod);
  const double sin_y = 2 + kContrast * std::sin(kTurn * at.y / kPeriod);
  const double cos_y = 2 + kContrast * std::cos(kTurn * at.y / kPeriod);
  return sin_x / cos_y + sin_y / sin_x;
}

// A well that gives 1 in all, spread over a twentieth of the square's side.
double well(const Point& at, double x, double y) {
  constexpr double kWidth = 0.05;
  const double square = (at.x - x) * (at.x - x) + (at.y - y) * (at.y - y);
  return std::exp(-square / (2 * kWidth * kWidth)) / (kTurn * kWidth * kWidth);
}

double moving_wells(const Point& at, double time) {
  constexpr double kRadius = 0.25;
  const double angle = kTurn * time / 40;
  const double x = kRadius * std::cos(angle);
  const double y = kRadius * std::sin(angle);
  return well(at, 0.5 + x, 0.5 + y) - well(at, 0.5 - x, 0.5 - y);
}

}  // namespace

DarcyFlow rough_flow() { return {rough_permeability, moving_wells}; }

}  // namespace weft::kernels::mhm
