// weft/storage/chunk_list.hpp - the places of all chunks of a dataset, whatever its index, in one go.
//
// From HDF5 1.12.3 on H5Dchunk_iter tells them in one walk. Before, every question makes HDF5 walk its index from the
// beginning, which for all of n chunks takes n * n / 2 looks; reading is what it has a quick way for. So there the file
// is opened a second time through a driver of ours, which sees where HDF5 goes when it is asked for an element of each
// chunk, and reads nothing for it. That is right for every kind of index, as it is what a read by HDF5 would read.
// Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "weft/support/shape.hpp"

namespace weft::storage {

// The addresses of all `chunks` chunks of an open dataset without filters, in a file without a user block, numbered
// row-major over the grid of chunks of `chunk` in `shape`. Nothing where some chunk has no place, where HDF5 cannot
// tell, and, before HDF5 1.12.3, where elements are of variable length, the file is open for writing, or is read by
// another driver than HDF5's usual one.
std::optional<std::vector<std::uint64_t>> chunk_list(hid_t dataset, const Shape& shape, const Shape& chunk,
                                                     std::uint64_t chunks);

}  // namespace weft::storage
