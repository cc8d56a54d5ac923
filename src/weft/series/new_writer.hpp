// weft/series/new_writer.hpp - what a file is to say of a writer from its beginning on.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/storage/commit_groups.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

// The slots of the groups that write, and the durable ones that count; both begin at `next_step`. Whose machine it is,
// where all ranks run on one. Collective.
storage::NewWriter new_writer(Communicator& comm, const storage::SeriesCatalog& catalog, std::uint64_t next_step,
                              const storage::CommitGroups& groups, const std::vector<std::uint64_t>& durable_slots);

}  // namespace weft::series
