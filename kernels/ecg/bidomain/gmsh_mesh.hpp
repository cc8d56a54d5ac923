// kernels/ecg/bidomain/gmsh_mesh.hpp - the tetrahedra of a Gmsh file (.msh, formats 2.2, 4.0 and 4.1, ascii or binary),
// read by PETSc once heart/gmsh_check.hpp has found nothing wrong with it.
//
// A tetrahedron's tissue is that of its physical volume: by name where that is torso, heart, blood, lung or bone, and
// else by number, 0 to 4 in this order. Tetrahedra of no physical volume are torso where others have one, and heart
// where none has. Points are numbered as they stand in the file.
//
// PETSc must run (PetscSession). Not collective: each rank that calls it reads the file.
#pragma once

#include <string>

#include "kernels/ecg/heart/mesh_file.hpp"

namespace weft::kernels::ecg {

// Throws Error(system) where the file cannot be read, Error(data) where it is damaged, has volumes that are no
// tetrahedra, or a physical volume of no tissue.
MeshContents read_gmsh_contents(const std::string& path);

}  // namespace weft::kernels::ecg
