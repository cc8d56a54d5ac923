#include "kernels/ecg/solve/cable.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/ecg/cell/ten_tusscher.hpp"
#include "kernels/ecg/solve/parameters.hpp"

namespace weft::kernels::ecg {

namespace {

// Solves a symmetric tridiagonal system of equal rows but for the ends (Thomas 1949).
class EvenTridiagonal {
 public:
  EvenTridiagonal(std::size_t rows, double inside, double end, double beside) : factors_(rows), beside_(beside) {
    factors_[0] = end;
    for (std::size_t i = 1; i < rows; ++i) {
      factors_[i] = (i + 1 < rows ? inside : end) - beside * beside / factors_[i - 1];
    }
  }
  void solve(std::vector<double>& x) const {
    for (std::size_t i = 1; i < x.size(); ++i) x[i] -= beside_ / factors_[i - 1] * x[i - 1];
    x.back() /= factors_.back();
    for (std::size_t i = x.size() - 1; i-- > 0;) x[i] = (x[i] - beside_ * x[i + 1]) / factors_[i];
  }

 private:
  std::vector<double> factors_;
  double beside_;
};

}  // namespace

double cable_velocity(double conductivity, double spacing, double dt) {
  const double stimulated = std::max(1.5, 2 * spacing);
  const double measured = std::max(5.0, 12 * spacing);  // between 40 % and 90 % of the cable
  const auto nodes = static_cast<std::size_t>(std::ceil((measured * 2 + stimulated) / spacing));
  constexpr double kStimulus = -35.7;  // pA/pF
  constexpr double kLongest = 150;     // ms; a wave that takes longer is slower than 0.1 mm/ms on any spacing here

  // Per node, divided by the spacing and by chi C / dt; Crank-Nicolson, so half of the spreading is on the left.
  const double spread = conductivity * dt / (kSurfaceToVolume * kCapacitance * spacing * spacing);
  const double beside = (1 - kLumped) / 6;  // the mass that a node shares with each neighbour
  const EvenTridiagonal system(nodes, 1 - 2 * beside + spread, 0.5 - beside + spread / 2, beside - spread / 2);
  const TenTusscher cell(CellLayer::epicardium);
  std::vector<TenTusscherState> states(nodes, TenTusscher::initial_state());
  std::vector<double> v(nodes, TenTusscher::kInitialPotential);
  std::vector<double> change(nodes);
  const std::size_t from = nodes * 2 / 5;
  const std::size_t to = nodes * 9 / 10;
  double reached_from = -1;
  for (double t = 0; t < kLongest; t += dt) {
    // Between two spreadings the cells have a whole step, before the first one half of it.
    const double alone = t > 0 ? dt : dt / 2;
    for (std::size_t i = 0; i < nodes; ++i) {
      const bool now = static_cast<double>(i) * spacing <= stimulated && t < kStimulusDuration;
      v[i] = cell.advance(v[i], states[i], alone, now ? kStimulus : 0);
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      change[i] = (i > 0 ? spread * (v[i - 1] - v[i]) : 0) + (i + 1 < nodes ? spread * (v[i + 1] - v[i]) : 0);
    }
    system.solve(change);
    double reached = -1;
    for (std::size_t i = 0; i < nodes; ++i) {
      const double after = v[i] + change[i];
      if ((i == from || i == to) && after > 0) {
        const double crossed = v[i] <= 0 ? t + dt * v[i] / (v[i] - after) : t;
        if (i == from && reached_from < 0) reached_from = crossed;
        if (i == to) reached = crossed;
      }
      v[i] = after;
    }
    if (reached >= 0) return static_cast<double>(to - from) * spacing / (reached - reached_from);
  }
  return 0;
}

Tuned tuned_conductivity(double velocity, double spacing, double dt) {
  constexpr int kHalvings = 12;
  double low = 1e-3;
  double high = 10;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (cable_velocity(middle, spacing, dt) < velocity ? low : high) = middle;
  }
  // Slower than this it may not run surely: is there a wave at all with somewhat less?
  double surely = high;
  if (cable_velocity(high / kMargin, spacing, dt) == 0) {
    double stops = high / kMargin;
    double runs = high;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = std::sqrt(stops * runs);
      (cable_velocity(middle, spacing, dt) == 0 ? stops : runs) = middle;
    }
    surely = kMargin * runs;
  }
  return {surely, cable_velocity(surely, spacing, dt)};
}

}  // namespace weft::kernels::ecg
