// kernels/ecg/solve/plates.hpp - the current that two plates on the skin bring to the nodes.
#pragma once

#include <vector>

#include "kernels/ecg/heart/heart_mesh.hpp"

namespace weft::kernels::ecg {

// The current into each node, uA for 1 uA/mm^2 into the plate on the left side (x above 85 % of its extent); what goes
// in there leaves through the plate on the right, so that the sum is 0. Throws Error(usage) where the mesh has no such
// sides.
std::vector<double> plate_load(const HeartMesh& mesh);

}  // namespace weft::kernels::ecg
