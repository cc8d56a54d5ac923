// weft/support/cell_type.hpp - VTK's numbers of the linear cells (vtkCellType.h), by name.
//
// A cell that others should draw, check, split or join stands in their tables, too: view/xdmf.cpp,
// verify/mesh_check.cpp, convert/tecplot_elements.cpp, reduce/edge_paths.cpp, ecg/pseudo_ecg.cpp. VTKHDF takes every
// type as it is.
//
// Example: mesh.cell_types.push_back(weft::cell_type::tetra).
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)

namespace weft::cell_type {

inline constexpr std::uint8_t vertex = 1;
inline constexpr std::uint8_t line = 3;
inline constexpr std::uint8_t triangle = 5;
inline constexpr std::uint8_t triangle_strip = 6;
inline constexpr std::uint8_t polygon = 7;
inline constexpr std::uint8_t pixel = 8;
inline constexpr std::uint8_t quad = 9;
inline constexpr std::uint8_t tetra = 10;
inline constexpr std::uint8_t voxel = 11;
inline constexpr std::uint8_t hexahedron = 12;
inline constexpr std::uint8_t wedge = 13;
inline constexpr std::uint8_t pyramid = 14;

}  // namespace weft::cell_type

#pragma GCC visibility pop
