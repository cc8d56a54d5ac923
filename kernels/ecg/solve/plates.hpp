// kernels/ecg/solve/plates.hpp - the skin's faces, and the current that two plates on it bring to the nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/ecg/heart/heart_mesh.hpp"

namespace weft::kernels {

// Faces that belong to one tetrahedron alone, in the order of the tetrahedra.
std::vector<std::array<std::int32_t, 3>> skin_faces(const HeartMesh& mesh);

// The current into each node, uA for 1 uA/mm^2 into the plate on the left side (x above 85 % of its extent); what goes
// in there leaves through the plate on the right, so that the sum is 0. Throws Error(usage) where the mesh has no such
// sides.
std::vector<double> plate_load(const HeartMesh& mesh);

}  // namespace weft::kernels
