#include "weft/storage/commit_slots.hpp"

#include <algorithm>
#include <span>

namespace weft::storage {

std::vector<std::uint64_t> read_slots(ByteStore& store, const SeriesCatalog& catalog) {
  std::vector<std::uint64_t> slots(catalog.commit.shape.at(0));
  store.read_at(catalog.commit.address(), std::as_writable_bytes(std::span(slots)));
  return slots;
}

void raise_slot(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t rank, std::uint64_t steps) {
  store.write_at(catalog.commit.address() + rank * sizeof steps, std::as_bytes(std::span(&steps, 1)));
}

std::vector<std::uint64_t> slots_from(std::uint64_t from, const std::vector<bool>& writing, std::uint64_t least) {
  std::vector<std::uint64_t> slots(std::max<std::uint64_t>(least, writing.size()), kIdleSlot);
  for (std::size_t rank = 0; rank < writing.size(); ++rank) {
    if (writing[rank]) slots[rank] = from;
  }
  return slots;
}

void write_slots(ByteStore& store, const SeriesCatalog& catalog, const std::vector<std::uint64_t>& slots) {
  store.write_at(catalog.commit.address(), std::as_bytes(std::span(slots)));
}

}  // namespace weft::storage
