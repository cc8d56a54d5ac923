#include "weft/storage/commit_slots.hpp"

#include <span>

namespace weft::storage {

std::vector<std::uint64_t> read_slots(ByteStore& store, const SeriesMap& map) {
  std::vector<std::uint64_t> slots(map.commit.shape.at(0));
  store.read_at(map.commit.address(), std::as_writable_bytes(std::span(slots)));
  return slots;
}

void raise_slot(ByteStore& store, const SeriesMap& map, std::uint64_t rank, std::uint64_t steps) {
  store.write_at(map.commit.address() + rank * sizeof steps, std::as_bytes(std::span(&steps, 1)));
}

void reset_slots(ByteStore& store, const SeriesMap& map, std::uint64_t ranks, std::uint64_t from) {
  std::vector<std::uint64_t> slots = read_slots(store, map);
  for (std::uint64_t& slot : slots) {
    if (slot != kIdleSlot) slot = from;
  }
  const auto write = [&] {
    store.write_at(map.commit.address(), std::as_bytes(std::span(slots)));
    store.sync();
  };
  write();
  for (std::uint64_t r = 0; r < slots.size(); ++r) slots[r] = r < ranks ? from : kIdleSlot;
  write();
}

}  // namespace weft::storage
