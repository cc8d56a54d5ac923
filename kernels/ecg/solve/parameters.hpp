// kernels/ecg/solve/parameters.hpp - the numbers of the bidomain equations, and where each comes from.
//
// Units that fit together: mm, ms, mV, uA, uF and mS; then mS/mm = S/m.
#pragma once

#include "kernels/ecg/heart/torso_shape.hpp"

namespace weft::kernels::ecg {

// Membrane per volume and capacitance of it: Niederer et al. 2011, doi 10.1098/rsta.2011.0139, Table 1.
inline constexpr double kSurfaceToVolume = 140;  // 1/mm
inline constexpr double kCapacitance = 0.01;     // uF/mm^2

// Along the fibres and across, mS/mm.
struct Conductivity {
  double along = 0;
  double across = 0;
};

// What a monodomain has for the two: along each axis, one behind the other.
inline double in_series(double a, double b) { return a * b / (a + b); }

struct Conductivities {
  // Niederer et al. 2011, Table 1 (after Clerc 1976, doi 10.1113/jphysiol.1976.sp011283).
  Conductivity intracellular{0.17, 0.019};
  Conductivity extracellular{0.62, 0.24};

  Conductivity monodomain() const {
    return {in_series(intracellular.along, extracellular.along), in_series(intracellular.across, extracellular.across)};
  }
};

// Outside the heart: Gabriel, Lau & Gabriel 1996, doi 10.1088/0031-9155/41/11/003, at the lowest frequencies; the rest
// of the torso, muscle mostly, as Keller et al. 2010 have it, doi 10.1109/TBME.2010.2046485.
inline double conductivity_outside(Tissue tissue) {
  switch (tissue) {
    case Tissue::blood: return 0.7;
    case Tissue::lung: return 0.039;
    case Tissue::bone: return 0.02;
    default: return 0.22;
  }
}

// How fast a wave runs along the fibres and across, mm/ms: Caldwell et al. 2009, doi 10.1161/CIRCEP.108.830133 (pig;
// across, the mean of what they saw in the plane of the sheets and normal to it).
inline constexpr Conductivity kMeasuredVelocity{0.67, 0.24};

// How much of the mass matrix's other entries is moved to its diagonal. Moved all, waves run too slow on a mesh, moved
// not at all, too fast; the errors of second order cancel at a half, on a line (as for waves: Hughes, The Finite
// Element Method, 9.3).
inline constexpr double kLumped = 0.5;

// How long a cell is stimulated, ms: Niederer et al. 2011.
inline constexpr double kStimulusDuration = 2;

}  // namespace weft::kernels::ecg
