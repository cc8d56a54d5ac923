#include "kernels/ecg/cell/ten_tusscher.hpp"

#include <algorithm>
#include <cmath>

namespace weft::kernels::ecg {

namespace {

using std::exp;

double square(double x) { return x * x; }
double cube(double x) { return x * x * x; }
// 1 / (1 + e^x)
double falling(double x) { return 1 / (1 + exp(x)); }

// Physical constants: J/(kmol K), C/mol, K.
constexpr double kGas = 8314.472;
constexpr double kFaraday = 96485.3415;
constexpr double kTemperature = 310;
constexpr double kThermal = kGas * kTemperature / kFaraday;  // mV

// Outside the cell, mM.
constexpr double kPotassiumOut = 5.4;
constexpr double kCalciumOut = 2;
constexpr double kSodiumOut = 140;

// The cell: capacitance per surface and volumes, in the units in which they give mM/ms (2006 paper, Table 2).
constexpr double kCellCapacitance = 0.185;
constexpr double kCytosol = 0.016404;
constexpr double kReticulum = 0.001094;
constexpr double kDyad = 0.00005468;

// Conductances in nS/pF, maximal currents in pA/pF.
constexpr double kNa = 14.838;
constexpr double kCaL = 3.98e-5;  // cm/(ms uF)
constexpr double kKr = 0.153;
constexpr double kK1 = 5.405;
constexpr double kPumpNaK = 2.724;
constexpr double kExchanger = 1000;
constexpr double kPumpCa = 0.1238;
constexpr double kPlateauK = 0.0146;
constexpr double kBackgroundNa = 0.00029;
constexpr double kBackgroundCa = 0.000592;
constexpr double kSodiumInKs = 0.03;  // relative permeability

// How fast a buffered concentration changes, of how fast it would without its buffer.
double unbuffered(double concentration, double buffer, double half) {
  return 1 / (1 + buffer * half / square(concentration + half));
}

// A gate after dt at fixed potential.
double relaxed(double gate, double target, double tau, double dt) { return target - (target - gate) * exp(-dt / tau); }

}  // namespace

struct TenTusscher::Currents {
  double na, ca_l, to, kr, ks, k1, exchanger, pump_nak, pump_ca, plateau_k, background_na, background_ca;
  double total() const {
    return na + ca_l + to + kr + ks + k1 + exchanger + pump_nak + pump_ca + plateau_k + background_na + background_ca;
  }
};

TenTusscher::TenTusscher(CellLayer layer)
    : endocardial_(layer == CellLayer::endocardium),
      g_ks_(layer == CellLayer::midmyocardium ? 0.098 : 0.392),
      g_to_(layer == CellLayer::endocardium ? 0.073 : 0.294) {}

TenTusscherState TenTusscher::initial_state() {
  TenTusscherState state{};
  state.m = 0.00172;
  state.h = 0.7444;
  state.j = 0.7045;
  state.xr1 = 0.00621;
  state.xr2 = 0.4712;
  state.xs = 0.0095;
  state.r = 2.42e-8;
  state.s = 0.999998;
  state.d = 3.373e-5;
  state.f = 0.7888;
  state.f2 = 0.9755;
  state.f_cass = 0.9953;
  state.r_prime = 0.9073;
  state.ca_i = 0.000126;
  state.ca_sr = 3.64;
  state.ca_ss = 0.00036;
  state.na_i = 8.604;
  state.k_i = 136.89;
  return state;
}

TenTusscher::Currents TenTusscher::currents(double v, const TenTusscherState& x) const {
  const double e_k = kThermal * std::log(kPotassiumOut / x.k_i);
  const double e_na = kThermal * std::log(kSodiumOut / x.na_i);
  const double e_ks = kThermal * std::log((kPotassiumOut + kSodiumInKs * kSodiumOut) / (x.k_i + kSodiumInKs * x.na_i));
  const double e_ca = 0.5 * kThermal * std::log(kCalciumOut / x.ca_i);

  Currents now{};
  now.na = kNa * cube(x.m) * x.h * x.j * (v - e_na);

  // Goldman, Hodgkin and Katz; where its denominator vanishes, the limit.
  const double above = 2 * (v - 15) / kThermal;
  const double ratio = std::fabs(above) < 1e-7 ? 1 : above / std::expm1(above);
  now.ca_l = kCaL * x.d * x.f * x.f2 * x.f_cass * 2 * kFaraday * ratio * (0.25 * x.ca_ss * exp(above) - kCalciumOut);

  now.to = g_to_ * x.r * x.s * (v - e_k);
  now.kr = kKr * std::sqrt(kPotassiumOut / 5.4) * x.xr1 * x.xr2 * (v - e_k);
  now.ks = g_ks_ * square(x.xs) * (v - e_ks);
  const double opening = 0.1 * falling(0.06 * (v - e_k - 200));
  const double closing = (3 * exp(0.0002 * (v - e_k + 100)) + exp(0.1 * (v - e_k - 10))) * falling(-0.5 * (v - e_k));
  now.k1 = kK1 * std::sqrt(kPotassiumOut / 5.4) * opening / (opening + closing) * (v - e_k);

  constexpr double kGamma = 0.35;
  constexpr double kHalfNa = 87.5;
  constexpr double kHalfCa = 1.38;
  constexpr double kSaturation = 0.1;
  constexpr double kOutwardFactor = 2.5;
  const double inward = exp((kGamma - 1) * v / kThermal);
  now.exchanger =
      kExchanger *
      (exp(kGamma * v / kThermal) * cube(x.na_i) * kCalciumOut - inward * cube(kSodiumOut) * x.ca_i * kOutwardFactor) /
      ((cube(kHalfNa) + cube(kSodiumOut)) * (kHalfCa + kCalciumOut) * (1 + kSaturation * inward));
  now.pump_nak = kPumpNaK * kPotassiumOut / (kPotassiumOut + 1) * x.na_i / (x.na_i + 40) /
                 (1 + 0.1245 * exp(-0.1 * v / kThermal) + 0.0353 * exp(-v / kThermal));
  now.pump_ca = kPumpCa * x.ca_i / (x.ca_i + 0.0005);
  now.plateau_k = kPlateauK * (v - e_k) * falling((25 - v) / 5.98);
  now.background_na = kBackgroundNa * (v - e_na);
  now.background_ca = kBackgroundCa * (v - e_ca);
  return now;
}

double TenTusscher::current(double v, const TenTusscherState& state) const { return currents(v, state).total(); }

void TenTusscher::step(double v, TenTusscherState& x, const Currents& now, double dt, double stimulus) const {
  // Concentrations first: their equations take the gates of the step's beginning.
  constexpr double kMostSensitive = 2.5;
  constexpr double kLeastSensitive = 1;
  const double sensitivity = kMostSensitive - (kMostSensitive - kLeastSensitive) / (1 + square(1.5 / x.ca_sr));
  const double k1 = 0.15 / sensitivity;
  const double k2 = 0.045 * sensitivity;
  const double binding = k1 * square(x.ca_ss);
  const double open = binding * x.r_prime / (0.060 + binding);
  const double release = 0.102 * open * (x.ca_sr - x.ca_ss);
  const double uptake = 0.006375 / (1 + square(0.00025 / x.ca_i));
  const double leak = 0.00036 * (x.ca_sr - x.ca_i);
  const double transfer = 0.0038 * (x.ca_ss - x.ca_i);
  const double to_cytosol = kCellCapacitance / (kCytosol * kFaraday);
  const double to_dyad = kCellCapacitance / (2 * kDyad * kFaraday);

  x.r_prime += dt * (0.005 * (1 - x.r_prime) - k2 * x.ca_ss * x.r_prime);
  const double ca_sr = dt * unbuffered(x.ca_sr, 10, 0.3) * (uptake - release - leak);
  const double ca_ss = dt * unbuffered(x.ca_ss, 0.4, 0.00025) *
                       (-to_dyad * now.ca_l + kReticulum / kDyad * release - kCytosol / kDyad * transfer);
  const double ca_i = dt * unbuffered(x.ca_i, 0.2, 0.001) *
                      (-0.5 * to_cytosol * (now.background_ca + now.pump_ca - 2 * now.exchanger) +
                       kReticulum / kCytosol * (leak - uptake) + transfer);
  x.na_i -= dt * to_cytosol * (now.na + now.background_na + 3 * now.pump_nak + 3 * now.exchanger);
  x.k_i -= dt * to_cytosol * (now.k1 + now.to + now.kr + now.ks - 2 * now.pump_nak + now.plateau_k + stimulus);

  const double tau_m = falling((-60 - v) / 5) * (0.1 * falling((v + 35) / 5) + 0.1 * falling((v - 50) / 200));
  x.m = relaxed(x.m, square(falling((-56.86 - v) / 9.03)), tau_m, dt);
  double opening_h = 0;
  double closing_h = 0.77 / 0.13 * falling(-(v + 10.66) / 11.1);
  double opening_j = 0;
  double closing_j = 0.6 * exp(0.057 * v) * falling(-0.1 * (v + 32));
  if (v < -40) {
    opening_h = 0.057 * exp(-(v + 80) / 6.8);
    closing_h = 2.7 * exp(0.079 * v) + 3.1e5 * exp(0.3485 * v);
    opening_j =
        (-2.5428e4 * exp(0.2444 * v) - 6.948e-6 * exp(-0.04391 * v)) * (v + 37.78) * falling(0.311 * (v + 79.23));
    closing_j = 0.02424 * exp(-0.01052 * v) * falling(-0.1378 * (v + 40.14));
  }
  const double target_h = square(falling((v + 71.55) / 7.43));
  x.h = relaxed(x.h, target_h, 1 / (opening_h + closing_h), dt);
  x.j = relaxed(x.j, target_h, 1 / (opening_j + closing_j), dt);

  x.xr1 = relaxed(x.xr1, falling((-26 - v) / 7), 450 * falling((-45 - v) / 10) * 6 * falling((v + 30) / 11.5), dt);
  x.xr2 = relaxed(x.xr2, falling((v + 88) / 24), 3 * falling((-60 - v) / 20) * 1.12 * falling((v - 60) / 20), dt);
  const double tau_xs = 1400 * std::sqrt(falling((5 - v) / 6)) * falling((v - 35) / 15) + 80;
  x.xs = relaxed(x.xs, falling((-5 - v) / 14), tau_xs, dt);

  x.r = relaxed(x.r, falling((20 - v) / 6), 9.5 * exp(-square(v + 40) / 1800) + 0.8, dt);
  if (endocardial_) {
    x.s = relaxed(x.s, falling((v + 28) / 5), 1000 * exp(-square(v + 67) / 1000) + 8, dt);
  } else {
    x.s = relaxed(x.s, falling((v + 20) / 5), 85 * exp(-square(v + 45) / 320) + 5 * falling((v - 20) / 5) + 3, dt);
  }

  const double tau_d = (1.4 * falling((-35 - v) / 13) + 0.25) * 1.4 * falling((v + 5) / 5) + falling((50 - v) / 20);
  x.d = relaxed(x.d, falling((-8 - v) / 7.5), tau_d, dt);
  const double tau_f =
      1102.5 * exp(-square(v + 27) / 225) + 200 * falling((13 - v) / 10) + 180 * falling((v + 30) / 10) + 20;
  x.f = relaxed(x.f, falling((v + 20) / 7), tau_f, dt);
  const double tau_f2 = 600 * exp(-square(v + 25) / 170) + 31 * falling((25 - v) / 10) + 16 * falling((v + 30) / 10);
  x.f2 = relaxed(x.f2, 0.67 * falling((v + 35) / 7) + 0.33, tau_f2, dt);
  const double calcium = 1 / (1 + square(x.ca_ss / 0.05));
  x.f_cass = relaxed(x.f_cass, 0.6 * calcium + 0.4, 80 * calcium + 2, dt);

  x.ca_sr += ca_sr;
  x.ca_ss += ca_ss;
  x.ca_i += ca_i;
}

double TenTusscher::advance(double v, TenTusscherState& state, double duration, double stimulus) const {
  double left = duration;
  while (left > 0) {
    const Currents now = currents(v, state);
    const double slope = -(now.total() + stimulus);
    double dt = std::min(left, kLongestStep);
    while (std::fabs(slope) * dt > kMostChange && dt > kShortestStep) dt /= 2;
    step(v, state, now, dt, stimulus);
    v += dt * slope;
    left -= dt;
  }
  return v;
}

}  // namespace weft::kernels::ecg
