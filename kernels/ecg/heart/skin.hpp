// kernels/ecg/heart/skin.hpp - the surface of a mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/ecg/heart/heart_mesh.hpp"

namespace weft::kernels::ecg {

// Faces that belong to one tetrahedron alone: ascending nodes, ascending faces.
std::vector<std::array<std::int32_t, 3>> skin_faces(const HeartMesh& mesh);

}  // namespace weft::kernels::ecg
