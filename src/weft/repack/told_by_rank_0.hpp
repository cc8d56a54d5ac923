// weft/repack/told_by_rank_0.hpp - what the rank that has the new file open tells the others. Collective.
#pragma once

#include <optional>
#include <string>

#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

namespace weft::repack {

// Rank 0's text, on every rank; what the others bring is not looked at.
std::string told_by_rank_0(Communicator& comm, const std::string& text);

// The same of the places of chunks; rank 0 brings an array.
storage::ChunkAddresses told_by_rank_0(Communicator& comm, const std::optional<storage::ArrayEntry>& array);

}  // namespace weft::repack
