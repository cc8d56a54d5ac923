// kernels/ecg/solve/cable.hpp - how fast an action potential runs along a fibre that is cut into elements of a given
// length, and which conductivity makes it run as fast as it should.
//
// A wave front is half a millimetre to a millimetre wide. On elements as long as that, or longer, it runs slower than
// in muscle of the same conductivity, and stops where a node no longer excites the next; so on a coarse mesh the
// conductivity is chosen for the velocity (as Costa et al. 2013 do, Comput Cardiol 40:373). The cable has the elements,
// the splitting and the cells of bidomain/bidomain.
#pragma once

namespace weft::kernels::ecg {

// The velocity, mm/ms, in a cable of linear elements of `spacing` mm, with steps of `dt` ms; 0 where the wave stops.
double cable_velocity(double conductivity, double spacing, double dt);

// A conductivity and the velocity it gives.
struct Tuned {
  double conductivity = 0;  // mS/mm
  double velocity = 0;      // mm/ms
};

// What gives `velocity`. Where elements of this length carry no wave as slow as that: the slowest one that runs surely,
// with kMargin times the least conductivity at which it runs at all.
Tuned tuned_conductivity(double velocity, double spacing, double dt);
inline constexpr double kMargin = 1.25;

}  // namespace weft::kernels::ecg
