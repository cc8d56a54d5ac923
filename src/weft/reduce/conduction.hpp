// weft/reduce/conduction.hpp - conduction velocities: distance along mesh edges from one node, over the difference of
// the upstroke times of the same beat.
//
// One rank reads the mesh and finds all distances (reduce/edge_paths.hpp); the others are handed those of their nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/support/communicator.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft::reduce {

struct NodeRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// The distances of a rank's nodes from `origin`, range by range. `mesh` is called on rank 0 alone. Collective; throws
// agreed errors.
std::vector<std::vector<double>> distances_from(Communicator& comm, std::uint64_t origin, std::uint64_t nodes,
                                                const std::function<view::Mesh()>& mesh,
                                                std::span<const NodeRange> ranges);

// Turns upstroke times into velocities, in place: NaN where either time is missing or they are the same, or where no
// path leads.
void to_velocities(std::span<double> upstroke_times, std::span<const double> distances, double origin_time);

}  // namespace weft::reduce
