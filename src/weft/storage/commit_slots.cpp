#include "weft/storage/commit_slots.hpp"

#include <span>

namespace weft::storage {

std::vector<std::uint64_t> read_slots(ByteStore& store, const SeriesCatalog& catalog) {
  std::vector<std::uint64_t> slots(catalog.commit.shape.at(0));
  store.read_at(catalog.commit.address(), std::as_writable_bytes(std::span(slots)));
  return slots;
}

void raise_slot(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t slot, std::uint64_t steps) {
  store.write_at(catalog.commit.address() + slot * sizeof steps, std::as_bytes(std::span(&steps, 1)));
}

void write_slots(ByteStore& store, const SeriesCatalog& catalog, const std::vector<std::uint64_t>& slots) {
  store.write_at(catalog.commit.address(), std::as_bytes(std::span(slots)));
}

}  // namespace weft::storage
