// weft/storage/catalog_open_file.hpp - opening a file for reading, and reading the catalog out of one of Weft's.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// What is written, and what is read: where there is room between chunks (ChunkRoom::pitch) a file has the later one, as
// those that do not know of it would look for chunks in wrong places.
inline constexpr std::int64_t kFormatVersion = 2;
inline constexpr std::int64_t kFormatWithGaps = 3;

// Throws Error(system) where there is no such file, Error(data) where it is not HDF5.
Handle open_for_reading(const std::string& path);

// Whether an open file is one of Weft's, whole or not. (Any HDF5 file may have checksums, in /weft/checksums.)
bool has_series(hid_t file);

// What is to be made of the indexes that do not lead to their chunks (storage/chunk_room.hpp), so that they do; no file
// with one has a catalog.
std::vector<IndexPlan> wrong_indexes(hid_t file);

// Of an open file that is whole.
ShownSteps shown_in_open_file(hid_t file);

// `path` is for the catalog and for messages. Throws Error(data) where the file is not one of Weft's, of a later
// format, or damaged.
SeriesCatalog catalog_open_file(hid_t file, const std::string& path);

}  // namespace weft::storage
