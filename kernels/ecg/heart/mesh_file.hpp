// kernels/ecg/heart/mesh_file.hpp - a heart, with or without what is around it, from a file of tetrahedra.
//
// A .vtu says with arrays what its tetrahedra and points are; a .msh (bidomain/gmsh_mesh.hpp) has the tissues alone.
// Nothing here is collective; the same file gives the same mesh on every rank.
//
// Arrays of a .vtu, all of any number type and none of them needed:
//   cells   tissue    0 torso, 1 heart, 2 blood, 3 lung, 4 bone; without it all is heart
//   cells   fibre     a direction (3 components); a heart's tetrahedron without one gets (1, 0, 0)
//   points  layer     0 epicardium, 1 midmyocardium, 2 endocardium; without it all is epicardium
//   points  stimulus  when the node is stimulated, ms; negative or NaN: never
#pragma once

#include <string>
#include <vector>

#include "kernels/ecg/heart/heart_mesh.hpp"
#include "weft/ecg/ecg.hpp"

namespace weft::kernels::ecg {

struct Ball {
  Vector3 middle;
  double radius = 0;
};

// What the user says of a mesh from a file.
struct MeshFileOptions {
  double unit = 1;               // of the file's coordinates, mm
  std::vector<Ball> stimulated;  // mm; the heart's nodes in them, at 0 ms, instead of what the file says
  std::vector<weft::ecg::Electrode> electrodes;  // mm; each is put on the nearest node of the skin; RL, or else the
                                                 // skin's last node, is the ground

  bool says_nothing() const { return unit == 1 && stimulated.empty() && electrodes.empty(); }
};

// A file's tetrahedra and what it says of them, in the file's order and numbering.
struct MeshContents {
  std::string path;
  std::vector<Vector3> points;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<Tissue> tissues;     // of each tetrahedron
  std::vector<Vector3> fibres;     // of each tetrahedron, of any length; or none at all
  std::vector<CellLayer> layers;   // of each point; or none at all
  std::vector<double> stimulated;  // of each point, ms, negative or NaN for never; or none at all
};

// Cells of fewer dimensions are left out. Throws Error(data) where the file is damaged, has cells of three dimensions
// that are no tetrahedra of four points, or an array holds what it cannot; Error(system) where it cannot be read.
MeshContents read_vtu_contents(const std::string& path);

// Keeps the file's numbering of nodes where the heart's come first in it (but for points of no tetrahedron, which are
// left out), and else renumbers; the description says what was done. Throws Error(data), naming the file, where there
// are no tetrahedra or no heart, where one is inside out or flat, and where they do not hang together; Error(usage) for
// electrodes of the same name.
//
// Example: tetrahedra of tissues 0, 1, 0, 1 on nodes 0 to 9, the second and the fourth on 0 to 5: the nodes keep their
// numbers, and the tetrahedra become the second, the fourth, the first and the third.
HeartMesh heart_mesh_of(const MeshContents& contents, const MeshFileOptions& options);

}  // namespace weft::kernels::ecg
