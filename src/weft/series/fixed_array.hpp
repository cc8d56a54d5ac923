// weft/series/fixed_array.hpp - writing what has no step axis: the mesh, and the node numbers of fields on some nodes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/series/series_spec.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

// One array and this rank's part of it: bytes of the caller's, or running sums (/mesh/offsets), which are made
// while they are written.
struct FixedArray {
  storage::FixedArrayPlan plan;
  partition::Ownership owned;
  std::span<const std::byte> local;
  // Where there is a first sum: how far from each entry to the next, and no bytes.
  std::optional<std::int64_t> first_sum{};
  std::span<const std::int64_t> distances{};
};

// The arrays of a mesh, checked: in this folder points (N, 3), types (cells), offsets (cells + 1; VTK's meaning) and
// connectivity. Cells are numbered over all ranks in rank order. Collective; they refer to the mesh's memory.
std::vector<FixedArray> mesh_arrays(Communicator& comm, const MeshSpec& mesh, const std::string& folder);

// The node numbers of a field on some of the nodes, /weft/subsets/NAME; it refers to the field's own. A rank without
// rows need not have any.
FixedArray subset_array(const FieldSpec& field);

// As it lies where the ranks hold it in consecutive slabs; else every rank writes one slab, put together by an
// exchange, so that scattered ownership costs no scattered writes. Collective.
void write_fixed_array(Communicator& comm, storage::ByteStore& store, const storage::ArrayEntry& catalog,
                       const FixedArray& array);

}  // namespace weft::series
