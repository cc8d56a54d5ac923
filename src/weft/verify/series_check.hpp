// weft/verify/series_check.hpp - whether an HDF5 file is a Weft file as docs/format.md has it.
//
// Each function is a check of the list (verify/check_list.hpp), on a file that HDF5 has open and whose catalog was
// read. None is collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/verify/check_list.hpp"

namespace weft::verify {

// Format version, names, the first step and the datasets of every segment.
void check_segments(hid_t file, const storage::SeriesCatalog& catalog, Check& check);

// What stands at the top: /time and /V, ... as long as each other, showing the segments, with their attributes and the
// time as their scale.
void check_fields(hid_t file, const storage::SeriesCatalog& catalog, Check& check);

// No slot beyond the room, no committed step hidden. `slots` as read from the file, `committed` what they are believed.
void check_commit(const storage::SeriesCatalog& catalog, const std::vector<std::uint64_t>& slots,
                  std::uint64_t committed, Check& check);

// Those of the committed steps.
void check_times(hid_t file, const storage::SeriesCatalog& catalog, std::uint64_t committed, Check& check);

// /VTKHDF is what this Weft would make of the file. `bytes` is the same file.
void check_view(hid_t file, const storage::SeriesCatalog& catalog, storage::ByteStore& bytes, Check& check);

// Maps show what /weft/maps has.
void check_maps(hid_t file, const storage::SeriesCatalog& catalog, Check& check);

}  // namespace weft::verify
