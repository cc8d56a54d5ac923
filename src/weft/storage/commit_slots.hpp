// weft/storage/commit_slots.hpp - the words that say how many steps are whole in the file.
//
// A slot belongs to a group of ranks (storage/commit_groups.hpp): one of them raises it, after all of them have their
// part of a window in the file. A step is committed when no slot is below it; a word of kIdleSlot is nobody's and holds
// nobody back. A slot is 8 bytes at a multiple of 8, so no reader sees half a value. docs/format.md, "Commit slots".
#pragma once

#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

std::vector<std::uint64_t> read_slots(ByteStore& store, const SeriesCatalog& catalog);

void raise_slot(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t slot, std::uint64_t steps);

// All of them, of a file that nobody knows yet.
void write_slots(ByteStore& store, const SeriesCatalog& catalog, const std::vector<std::uint64_t>& slots);

}  // namespace weft::storage
