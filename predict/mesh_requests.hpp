// predict/mesh_requests.hpp - the requests that write the mesh of the synthetic heart, when its file is made.
#pragma once

#include <cstdint>

#include "kernels/ecg/box_mesh.hpp"
#include "predict/workload.hpp"

namespace weft::predict {

// Points of three doubles; of each cell its type, its corners, and where they begin.
std::uint64_t bytes_of(const kernels::ecg::BoxMesh& mesh);

// Each rank writes its share of each array (weft/series/fixed_array.cpp), in requests of at most so many bytes.
Requests requests_of(const kernels::ecg::BoxMesh& mesh, std::uint64_t ranks, std::uint64_t most_request_bytes);

}  // namespace weft::predict
