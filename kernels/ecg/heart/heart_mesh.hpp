// kernels/ecg/heart/heart_mesh.hpp - what the bidomain equations are solved on: tetrahedra of tissues, the heart's
// first.
//
// Invariants (checked by check_mesh): every tetrahedron is right-handed; nodes 0 to heart_nodes - 1 are those of the
// heart's tetrahedra, and tetrahedra 0 to heart_tetrahedra - 1 are the heart's. Lengths in mm, times in ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ecg/cell/ten_tusscher.hpp"
#include "kernels/ecg/heart/bisection.hpp"
#include "kernels/ecg/heart/torso_shape.hpp"
#include "weft/support/vector3.hpp"

namespace weft::kernels::ecg {

// A current into the cells of a node.
struct Stimulus {
  std::int32_t node = 0;
  double start = 0;
};

struct ElectrodeNode {
  std::string name;
  std::int32_t node = 0;
};

struct HeartMesh {
  std::string description;  // "a torso of ..", for people
  std::vector<Vector3> points;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<Tissue> tissues;    // of each tetrahedron
  std::vector<Vector3> fibres;    // of each of the heart's; directions
  std::vector<CellLayer> layers;  // of each of the heart's nodes
  double stimulus = 0;            // pA/pF, for the time that solve/parameters.hpp says
  std::vector<Stimulus> stimuli;  // ascending nodes
  std::vector<ElectrodeNode> electrodes;
  std::int32_t ground = 0;  // the node whose extracellular potential is 0
  std::uint64_t heart_nodes = 0;
  std::uint64_t heart_tetrahedra = 0;
  double spacing = 0;  // of the heart's nodes: the cube's edge of six mean tetrahedra
};

// The ventricles in their torso with about so many nodes: at most `nodes`, and no fewer than 0.8 of them where that can
// be had. Throws Error(usage) where they are too few for a wall (about 3,000).
HeartMesh torso_mesh(std::uint64_t nodes);

// The slab of Niederer et al. 2011 (doi 10.1098/rsta.2011.0139): 20 x 7 x 3 mm of epicardial muscle, fibres along x,
// cubes of this edge, stimulated in a cube of 1.5 mm at the origin. Throws Error(usage) unless the edge is positive and
// at most 1.5 mm.
HeartMesh slab_mesh(double spacing);

// Renumbers so that the heart comes first, nodes near each other staying near; takes out points of no tetrahedron.
// Nothing that counts nodes or tetrahedra may be filled in yet but points, tetrahedra and tissues.
// Returns the new number of each old point, -1 where it has none; `old_tetrahedra`, where given, becomes the old number
// of each new tetrahedron.
std::vector<std::int32_t> number_heart_first(HeartMesh& mesh, std::vector<std::uint32_t>* old_tetrahedra = nullptr);

// Throws Error(data), naming the mesh, where there is no heart or a tetrahedron is inside out or flat.
void check_mesh(const HeartMesh& mesh);

}  // namespace weft::kernels::ecg
