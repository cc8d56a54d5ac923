// weft/series/new_writer.hpp - what a file is to say of a writer from its beginning on.
#pragma once

#include <cstdint>

#include "weft/storage/series_catalog.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

// A slot for each rank that writes, and a durable one for each that brings to the disk what its client has written;
// both begin at `next_step`. Whose machine it is, where all ranks run on one. Collective.
storage::NewWriter new_writer(Communicator& comm, const storage::SeriesCatalog& catalog, std::uint64_t next_step,
                              bool writes, bool syncs);

}  // namespace weft::series
