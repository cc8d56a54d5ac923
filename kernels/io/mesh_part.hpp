// kernels/io/mesh_part.hpp - the arrays of a rank's part of a mesh, which MeshSpec refers to (series/series_spec.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "weft/series/series_spec.hpp"

namespace weft::kernels {

struct MeshPart {
  std::uint64_t points = 0;  // of the whole mesh
  partition::Ownership owned = partition::Ownership::none({});
  std::vector<double> coordinates{};
  std::vector<std::uint8_t> cell_types{};
  std::vector<std::int64_t> cell_sizes{};
  std::vector<std::int64_t> connectivity{};

  MeshSpec spec() const { return {points, owned, coordinates, cell_types, cell_sizes, connectivity}; }
};

}  // namespace weft::kernels
