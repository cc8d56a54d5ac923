// kernels/ecg/heart/gmsh_element.hpp - what Gmsh's numbers of element types mean.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::kernels::ecg {

struct GmshElement {
  int dimension = 0;
  std::int32_t nodes = 0;
};

// Those that PETSc 3.18 reads, up to order 10; nothing for others. Example: 4, a tetrahedron, {3, 4}; 11, the same of
// order 2, {3, 10}.
std::optional<GmshElement> gmsh_element(std::int32_t type);

}  // namespace weft::kernels::ecg
