// weft/storage/commit_slots.hpp - the words that say how many steps are whole in the file.
//
// Slot r belongs to rank r: it alone raises it, after its part of a window is in the file. A step is committed when no
// slot is below it; a slot of kIdleSlot (a rank that writes nothing, or no rank at all) holds nobody back. A slot is 8
// bytes at a multiple of 8, so no reader sees half a value. docs/format.md, "Commit slots".
#pragma once

#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

std::vector<std::uint64_t> read_slots(ByteStore& store, const SeriesCatalog& catalog);

void raise_slot(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t rank, std::uint64_t steps);

// The slots of writers that go on from step `from`: one for each rank, idle for those that write nothing; at least
// `least` of them, idle behind the last rank.
std::vector<std::uint64_t> slots_from(std::uint64_t from, const std::vector<bool>& writing, std::uint64_t least);

// All of them, of a file that nobody knows yet.
void write_slots(ByteStore& store, const SeriesCatalog& catalog, const std::vector<std::uint64_t>& slots);

}  // namespace weft::storage
