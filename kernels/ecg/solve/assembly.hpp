// kernels/ecg/solve/assembly.hpp - linear tetrahedra: the matrices of the bidomain equations, this rank's rows of them.
//
// Stiffness: the integral of grad a . sigma grad b; mass: that of a b; a and b the functions that are 1 at one node and
// 0 at all others (Zienkiewicz & Taylor, The Finite Element Method). Every rank goes over the whole mesh and keeps what
// falls in its rows: nothing travels.
#pragma once

#include <functional>

#include "kernels/ecg/heart/heart_mesh.hpp"
#include "kernels/ecg/solve/node_dealing.hpp"
#include "kernels/ecg/solve/parameters.hpp"
#include "kernels/ecg/solve/sparse_rows.hpp"

namespace weft::kernels::ecg {

struct LinearElement {
  std::array<Vector3, 4> gradients;  // of the four functions, 1/mm
  double volume = 0;                 // mm^3
};
LinearElement linear_element(const std::array<Vector3, 4>& corners);

// sigma * v for a conductivity along `fibre` (a direction) and across it.
Vector3 conducted(const Conductivity& sigma, const Vector3& fibre, const Vector3& v);

// chi C M / dt + implicit * K: what a spreading step of dt has on its left, on the heart's nodes.
CompressedRows spreading_matrix(const HeartMesh& mesh, const NodeDealing& dealing, const Conductivity& sigma, double dt,
                                double implicit);
// K of the heart alone, on its nodes.
CompressedRows heart_stiffness(const HeartMesh& mesh, const NodeDealing& dealing, const Conductivity& sigma);
// K of everything, on all nodes: `in_heart` where the heart is, conductivity_outside() elsewhere.
CompressedRows whole_stiffness(const HeartMesh& mesh, const NodeDealing& dealing, const Conductivity& in_heart);

}  // namespace weft::kernels::ecg
