// HDF5's own shuffle: the first bytes of all elements, then their second ones, and so on.
#include <algorithm>
#include <array>
#include <cstring>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"
#include "weft/support/wide_code.hpp"

namespace weft::storage {

namespace {

class Shuffle final : public FilterCodec {
 public:
  explicit Shuffle(std::uint64_t element_bytes) : element_bytes_(element_bytes) {}

  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    const std::span<std::byte> to = room(from.size());
    shuffle(from, element_bytes_, to);
    return to;
  }
  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() != to.size()) throw damaged("shuffle");
    unshuffle(from, element_bytes_, to);
  }

 private:
  std::uint64_t element_bytes_;
};

constexpr std::size_t kTile = 16;  // elements whose bytes are turned in registers

// Of whole tiles; returns how many elements they have.
template <std::size_t kBytes>
inline std::size_t shuffle_tiles(const std::byte* from, std::size_t elements, std::byte* to) {
  const std::size_t whole = elements / kTile * kTile;
  for (std::size_t first = 0; first < whole; first += kTile) {
    std::array<std::byte, kBytes * kTile> tile;
    std::array<std::byte, kBytes * kTile> turned;
    std::memcpy(tile.data(), from + first * kBytes, tile.size());
    for (std::size_t b = 0; b < kBytes; ++b) {
      for (std::size_t e = 0; e < kTile; ++e) turned[b * kTile + e] = tile[e * kBytes + b];
    }
    for (std::size_t b = 0; b < kBytes; ++b) std::memcpy(to + b * elements + first, &turned[b * kTile], kTile);
  }
  return whole;
}

WEFT_WIDE std::size_t shuffle_eights(const std::byte* from, std::size_t elements, std::byte* to) {
  return shuffle_tiles<8>(from, elements, to);
}

WEFT_WIDE std::size_t shuffle_fours(const std::byte* from, std::size_t elements, std::byte* to) {
  return shuffle_tiles<4>(from, elements, to);
}

}  // namespace

// Byte b of element e goes to place b * elements + e; what is left of the last element stays at the end.
void shuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  std::size_t done = 0;
  if (element_bytes == 8) done = shuffle_eights(from.data(), elements, to.data());
  if (element_bytes == 4) done = shuffle_fours(from.data(), elements, to.data());
  for (std::size_t b = 0; b < element_bytes; ++b) {
    std::byte* row = to.data() + b * elements;
    const std::byte* column = from.data() + b;
    for (std::size_t e = done; e < elements; ++e) row[e] = column[e * element_bytes];
  }
  const std::size_t whole = elements * element_bytes;
  std::copy(from.begin() + static_cast<long>(whole), from.end(), to.begin() + static_cast<long>(whole));
}

void unshuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    const std::byte* row = from.data() + b * elements;
    std::byte* column = to.data() + b;
    for (std::size_t e = 0; e < elements; ++e) column[e * element_bytes] = row[e];
  }
  const std::size_t whole = elements * element_bytes;
  std::copy(from.begin() + static_cast<long>(whole), from.end(), to.begin() + static_cast<long>(whole));
}

constinit const FilterKind kShuffle{
    .id = H5Z_FILTER_SHUFFLE,
    .name = "shuffle",
    .settings = [](std::uint64_t element_bytes) { return std::vector{static_cast<unsigned>(element_bytes)}; },
    .make = [](std::span<const unsigned> settings) -> std::unique_ptr<FilterCodec> {
      return std::make_unique<Shuffle>(std::max(1U, setting(settings, 0, 1)));
    }};

}  // namespace weft::storage
