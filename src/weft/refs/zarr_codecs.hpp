// weft/refs/zarr_codecs.hpp - HDF5's filters under the names that zarr's readers know them by (numcodecs). Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "weft/storage/chunk_codec.hpp"

namespace weft::refs {

// The first filter that numcodecs cannot undo; nullptr where there is none.
const storage::Filter* first_without_codec(const std::vector<storage::Filter>& filters);

// In the order in which they were applied, as kerchunk writes them: all of them "filters", and none the "compressor".
// shuffle+deflate:1 of doubles is [{"id":"shuffle","elementsize":8},{"id":"zlib","level":1}]; null where there are
// none. None of them is without a codec.
nlohmann::json codecs_of(const std::vector<storage::Filter>& filters, std::uint64_t element_bytes);

}  // namespace weft::refs
