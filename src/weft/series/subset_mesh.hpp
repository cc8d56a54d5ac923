// weft/series/subset_mesh.hpp - the mesh of a field on some of the nodes, made while ranks still hold the whole one.
//
// A viewer wants such a field on a mesh of its own: the listed nodes, and the cells that lie wholly among them. Each
// rank finds its own cells and points, so that none has to read the mesh again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/series/series_spec.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

struct SubsetMesh {
  MeshSpec spec;  // refers to what follows; points are numbered as the field's rows are
  std::vector<double> coordinates;
  std::vector<std::uint8_t> cell_types;
  std::vector<std::int64_t> cell_sizes;
  std::vector<std::int64_t> connectivity;
};

// Of a field with a `subset` (this rank's rows of it). Besides the result a rank needs some 16 bytes for each node that
// it lists, and 48 MB. Collective. Throws an agreed Error(usage) where a node is listed twice or is not in the mesh.
// `at_once` nodes are asked for at a time.
SubsetMesh subset_mesh(Communicator& comm, const FieldSpec& field, const MeshSpec& mesh,
                       std::size_t at_once = 1U << 20U);

}  // namespace weft::series
