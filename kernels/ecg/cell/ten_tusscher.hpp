// kernels/ecg/cell/ten_tusscher.hpp - the membrane of a human ventricular cell: ten Tusscher & Panfilov 2006.
//
// Source of all equations and parameters: K. H. W. J. ten Tusscher, A. V. Panfilov, "Alternans and spiral breakup in a
// human ventricular tissue model", Am J Physiol Heart Circ Physiol 291 (2006) H1088-H1100, doi
// 10.1152/ajpheart.00109.2006 (with the reduced ryanodine receptor); gates it took over unchanged are those of ten
// Tusscher, Noble, Noble & Panfilov 2004, doi 10.1152/ajpheart.00794.2003.
//
// Units: mV, ms, currents per capacitance pA/pF (= mV/ms), concentrations mM.
#pragma once

#include <array>
#include <cstdint>

namespace weft::kernels::ecg {

enum class CellLayer : std::uint8_t { epicardium, midmyocardium, endocardium };

// What a cell carries beside its potential.
struct TenTusscherState {
  // Gates, 0 to 1: of I_Na, I_Kr, I_Ks, I_to, I_CaL, and the receptor that can be activated.
  double m, h, j, xr1, xr2, xs, r, s, d, f, f2, f_cass, r_prime;
  // Calcium in the cytosol, the reticulum and the dyadic space; sodium and potassium.
  double ca_i, ca_sr, ca_ss, na_i, k_i;
};

class TenTusscher {
 public:
  explicit TenTusscher(CellLayer layer);

  // Near rest: the values the model is usually started from. Paced at 1 Hz they settle within some 30 beats.
  static TenTusscherState initial_state();
  static constexpr double kInitialPotential = -85.23;  // mV

  // Advances the cell alone by `duration`: dV/dt = -(I_ion + stimulus). Gates by their exact solution at fixed V
  // (Rush & Larsen 1978), the rest by explicit Euler, in steps that are halved until none moves V by more than
  // kMostChange, and are never longer than kLongestStep. Returns the new potential.
  double advance(double v, TenTusscherState& state, double duration, double stimulus) const;

  static constexpr double kMostChange = 0.8;     // mV a step
  static constexpr double kLongestStep = 0.1;    // ms
  static constexpr double kShortestStep = 1e-3;  // ms

  // The ionic current, pA/pF, outward positive.
  double current(double v, const TenTusscherState& state) const;

 private:
  struct Currents;
  Currents currents(double v, const TenTusscherState& x) const;
  void step(double v, TenTusscherState& x, const Currents& now, double dt, double stimulus) const;

  bool endocardial_;
  double g_ks_;  // nS/pF
  double g_to_;
};

}  // namespace weft::kernels::ecg
