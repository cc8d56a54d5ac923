// storage/top_level.hpp - what a Weft file shows to other readers: /V and /time over the segments, and the view.
//
// HDF5's side of it: both work on an open file, and are called where its metadata are made or changed
// (storage/series_file.hpp).
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "weft/storage/object_plan.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/set_aside.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

struct IndexPlan;  // storage/chunk_room.hpp

// What the file is to show besides its fields (view/vtkhdf.hpp), for its first `steps` steps; made anew whenever the
// datasets change. Replaces /VTKHDF and /weft/view, and of /maps the datasets it names; no other object may be named.
using ViewMaker = std::function<ObjectPlan(const SeriesCatalog& catalog, std::uint64_t steps)>;

// (Re)makes /V of every field, `length` steps long: the segment's own dataset where one segment is the whole series,
// else a virtual dataset over the segments. What was put on an older /V goes over to the new one: attributes, and the
// dimension scales of its other axes. What is replaced goes to `aside`, here and below.
void link_top_level(hid_t file, const SeriesCatalog& catalog, std::uint64_t length, SetAside& aside);

// (Re)makes what the file shows besides its fields. Nothing without a `view`. What is to be made of the maps' indexes
// when HDF5 has closed the file: except in files of format 1, maps are plain datasets.
std::vector<IndexPlan> make_view(hid_t file, const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view,
                                 SetAside& aside);

// Lets every map (/maps) that is of more than `steps` steps show nothing and say that it is of none: steps that it is
// of are about to be written anew.
void empty_maps_beyond(hid_t file, const SeriesCatalog& catalog, std::uint64_t steps, SetAside& aside);

// The maps that the file shows, and how many steps each is of.
std::vector<MapAge> map_ages(hid_t file, const SeriesCatalog& catalog);

}  // namespace weft::storage

#pragma GCC visibility pop
