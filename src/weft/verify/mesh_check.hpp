// weft/verify/mesh_check.hpp - whether the mesh of a Weft file is one: cells of points that exist, each of as many as
// its type has. Read a batch at a time. Not collective.
#pragma once

#include <hdf5.h>

#include "weft/storage/series_catalog.hpp"
#include "weft/verify/check_list.hpp"

namespace weft::verify {

// Shapes and types of /mesh, against each other and the fields that stand on it; with `values`, every offset, corner,
// cell type and coordinate.
void check_mesh(hid_t file, const storage::SeriesCatalog& catalog, bool values, Check& check);

// Node (or cell) numbers of the fields that stand on some.
void check_subsets(hid_t file, const storage::SeriesCatalog& catalog, bool values, Check& check);

}  // namespace weft::verify
