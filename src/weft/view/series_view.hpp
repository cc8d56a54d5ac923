// weft/view/series_view.hpp - the view of a series, whoever wrote it: every field on its mesh or grid.
//
//   - A field on the nodes or cells is shown under its name. One with 3 or 9 values an element is a vector or a tensor;
//     of any other number each component is shown apart, as NAME_0, NAME_1, ... or by the names it was given.
//   - A field on the first k nodes is NaN on the others (integers have no NaN: they get a block of their own).
//   - A field on any other nodes gets a block of its own: those nodes, and the cells that lie wholly among them.
//   - A value, or array, of each step is field data.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "weft/storage/byte_store.hpp"
#include "weft/view/view.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft::view {

// Reads an array without a step axis ("/mesh/points"), whole.
using ArrayReader = std::function<std::vector<std::byte>(const storage::ArrayEntry& array)>;

// Reads from the file's own bytes; the store must outlive it.
ArrayReader reader_of(storage::ByteStore& store);

// The view of the first `steps` steps, on the mesh that is named or else on the file's own. `read` is needed for fields
// that get a block of their own where the file has no mesh for it (files of before, and others' files); without it, and
// where there is no mesh at all, they are left out. A named mesh is among the view's `mesh_objects`. Not collective.
View series_view(const storage::SeriesCatalog& catalog, std::uint64_t steps, const ArrayReader& read = {},
                 const Mesh* named = nullptr);

// Whether a field on such a part of the nodes is shown on a mesh of its own.
bool needs_own_mesh(storage::Support support, storage::Subset subset, DataType type);
// Where the file has it: points, connectivity, offsets and types, as in /mesh.
std::string folder_of_mesh(const std::string& field);

}  // namespace weft::view
