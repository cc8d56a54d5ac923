// weft/storage/chunk_place.hpp - where a chunk of any dataset lies in the file, as its index says.
#pragma once

#include <hdf5.h>

#include <cstdint>

namespace weft::storage {

struct ChunkPlace {
  std::uint64_t address = HADDR_UNDEF;  // HADDR_UNDEF: never written
  std::uint64_t bytes = 0;              // as stored
  std::uint32_t skipped = 0;            // filters that were left out, a bit each
};

}  // namespace weft::storage
