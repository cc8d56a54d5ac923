// weft/ecg/pseudo_ecg.hpp - the potential a point would see of a heart in an infinite, even conductor.
//
// phi(e) = -D * integral over the heart of grad V . grad(1/r), r the distance from e (Gima & Rudy 2002, Circ Res
// 90:889, doi 10.1161/01.RES.0000016960.61087.86). V is linear in each element, so phi is a weighted sum of the values
// at the nodes: the weights are computed once, and each step of a simulation is a dot product.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/view/submesh.hpp"

namespace weft::ecg {

// The weight of each node, 0 for nodes of no element. `points` has x, y, z of each node; lines, triangles and
// tetrahedra count, other cells that have no extent (vertices) do not. With points in cm, D without unit and V in mV
// the potential has mV times a length to the power of (dimension of the elements - 2). The integral over an element is
// exact for 1/r up to second degree (Stroud's rule of d + 1 points), so its error falls with (size / distance)^3.
// Throws Error(data) on other cells, on corners that are no points and on elements without extent; Error(usage) where
// `electrode` is a point of an element.
//
// Example: V = x on lines of [0, 1] seen from x = 15, D = 1: -(1/14 - 1/15).
std::vector<double> pseudo_ecg_weights(std::span<const double> points, const view::Cells& cells,
                                       const std::array<double, 3>& electrode, double diffusivity);

}  // namespace weft::ecg
