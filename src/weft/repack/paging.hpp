// weft/repack/paging.hpp - a file in pages, for readers to whom every request is dear.
//
// HDF5 usually puts metadata wherever the file ends when they are made. In pages ("paged aggregation", HDF5 1.10) a
// page holds metadata alone or data alone, so that all metadata lie in the first page, and in few others where that is
// too short for them. Texts and lists of attributes lie in a heap, which HDF5 counts as data: they get the beginning of
// the second page. A reader of an object store then has all of this with one request or two. Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>

#include "weft/repack/repack.hpp"
#include "weft/repack/skeleton.hpp"

namespace weft::repack {

// Pages of this size let the metadata of the new file lie in the first: a power of two, 1 MiB to 8 MiB. Shorter ones
// would have gaps behind most chunks that are longer; of longer ones a reader gets more than it wants.
std::uint64_t page_bytes_for(const RepackPlan& plan);

// Throws Error(usage) where HDF5 has no pages of this size, or none beside the user block of `file`.
void check_pages(const std::string& file, std::uint64_t page_bytes);

// Adds pages to a file's creation properties.
void set_pages(hid_t creation, std::uint64_t page_bytes);
// And takes them away again.
void take_pages_away(hid_t creation);

// Room at the beginning of the data in `to` for texts and lists of all attributes of `from` and the layouts of the
// plan: kept while data get their places, then free, and the first place that HDF5 takes.
FrontRoom front_room(hid_t from, hid_t to, const RepackPlan& plan);

}  // namespace weft::repack
