// weft/storage/step_times.hpp - the times of steps, straight from where they lie in a Weft file.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// Of steps [first, first + count), which the catalog has room for. Throws Error(data) where a place is not known. Not
// collective.
std::vector<double> step_times(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t first,
                               std::uint64_t count);

}  // namespace weft::storage
