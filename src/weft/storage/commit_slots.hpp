// weft/storage/commit_slots.hpp - the words that say how many steps are whole in the file.
//
// Slot r belongs to rank r: it alone raises it, after its part of a window is in the file. A step is committed when no
// slot is below it; a slot of kIdleSlot (a rank that writes nothing, or no rank at all) holds nobody back. A slot is 8
// bytes at a multiple of 8, so no reader sees half a value. docs/format.md, "Commit slots".
#pragma once

#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_map.hpp"

namespace weft::storage {

std::vector<std::uint64_t> read_slots(ByteStore& store, const SeriesMap& map);

void raise_slot(ByteStore& store, const SeriesMap& map, std::uint64_t rank, std::uint64_t steps);

// Prepares the slots for `ranks` writers from step `from` on, before any of them writes: called by one rank. Slots are
// lowered first and on the disk before any is set idle, so that at no moment more is committed than was.
void reset_slots(ByteStore& store, const SeriesMap& map, std::uint64_t ranks, std::uint64_t from);

}  // namespace weft::storage
