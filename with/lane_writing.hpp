// with/lane_writing.hpp - how steps that waited get into the file.
#pragma once

#include <vector>

#include "with/dataset.hpp"

namespace weft::with {

// Whether steps along this axis, of values of this type in memory, can be written straight into their chunks
// (with/direct_file.hpp).
bool can_write_directly(Library& library, const OpenDataset& dataset, hid_t id, std::size_t axis, hid_t type);

// By one H5Dwrite() of what the lane has not written yet; collective where `together`. Below 0 where that failed, which
// is said.
herr_t write_by_hdf5(OpenDataset& dataset, Lane& lane, bool together);

// Hands what these lanes hold to the thread that writes, and gives them memory for what comes next; from then on they
// are as if it was written. Below 0 where an earlier window could not be.
herr_t write_directly(OpenDataset& dataset, const std::vector<Lane*>& lanes);

// Waits for that thread. Below 0 where something could not be written, which is said.
herr_t finish_direct(OpenDataset& dataset);

}  // namespace weft::with
