// kernels/mhm/darcy/darcy_flow.hpp - the flow that is solved for: -div(k grad p) = f in the unit square, p = 0 around
// it.
#pragma once

#include <functional>

#include "kernels/mhm/criss_cross.hpp"

namespace weft::kernels::mhm {

struct DarcyFlow {
  std::function<double(const Point&)> permeability;         // k
  std::function<double(const Point&, double time)> source;  // f
};

// The rough coefficient of Hou and Wu ("A multiscale finite element method for elliptic problems in composite materials
// and porous media", J. Comput. Phys. 134, 1997, eq. 3.1), with P = 1.8 and period 0.08: k changes thirtyfold
// within a period. Fluid comes in around a place that goes round the middle once in 40 units of time, and leaves
// opposite.
DarcyFlow rough_flow();

}  // namespace weft::kernels::mhm
