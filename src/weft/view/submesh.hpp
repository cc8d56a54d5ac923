// weft/view/submesh.hpp - the part of a mesh that lies on some of its nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::view {

// Cells as VTK has them: cell c has type types[c] and the points connectivity[offsets[c]] .. [offsets[c + 1] - 1].
struct Cells {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> connectivity;
  std::vector<std::uint8_t> types;
};

// The cells whose points are all among `nodes` (distinct, any order), numbered by their place in that list.
// Throws Error(data) where offsets or connectivity lead outside.
//
// Example: nodes {4, 1, 3} of a mesh of lines 0-1, 1-3, 3-4: two lines, 1-2 and 2-0.
Cells cells_among(std::span<const std::int64_t> nodes, std::uint64_t points, const Cells& all);

}  // namespace weft::view

#pragma GCC visibility pop
