// kernels/ecg/heart/gmsh_check.hpp - looks through a Gmsh file (.msh) before PETSc reads it.
//
// PETSc's reader believes the file: it takes room for as many nodes and elements as are announced and puts there as
// many as come, looks up the nodes of an element and the entity of a block without asking whether they are there, and
// copies words of any length into arrays of fixed length. A file that contradicts itself ends it by a signal. Here all
// of what it would read is read first, the same way ($MeshFormat to $EndElements, formats 2.2, 4.0 and 4.1, ascii and
// binary of either byte order; PETSc 3.18's src/dm/impls/plex/plexgmsh.c says how), and what it trusts is checked.
//
// Takes no PETSc, and memory for the nodes' numbers alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernels/ecg/heart/heart_mesh.hpp"

namespace weft::kernels::ecg {

// The tissues of a file's physical volumes, by their numbers: only of those that have elements. An element of a number
// that is not here is of no physical volume.
using GmshTissues = std::map<std::int32_t, Tissue>;

// A physical volume's tissue is that of its name, torso, heart, blood, lung or bone, or else of its number, 1 heart to
// 4 bone; numbers of 0 and less are none. Throws Error(data) where the file is none that PETSc can read, or a volume is
// of no tissue; Error(system) where it cannot be read.
//
// Example: volumes 1 and 7 in use, of which 7 is named "blood": {{1, heart}, {7, blood}}. Volume 5 is refused.
GmshTissues check_gmsh(const std::string& path);

}  // namespace weft::kernels::ecg
