// HDF5's own shuffle: the first bytes of all elements, then their second ones, and so on.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"

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

// Elements of 2, 4 or 8 bytes are turned 16 at a time, in as many vectors of 16 bytes as an element has bytes. Where a
// byte stands among those of all vectors is a number of 4 bits within a vector and log2(kBytes) bits that name it. To
// zip the first half of the vectors with the second one, byte by byte, rotates that number by a bit to the left. Four
// times that, and the bits of the element (4 in front, as it begins) have gone behind those of the byte in it.
constexpr std::size_t kTile = 16;
using Vector __attribute__((vector_size(kTile))) = unsigned char;

template <std::size_t kBytes>
using Tile = std::array<Vector, kBytes>;

template <std::size_t kBytes>
inline Tile<kBytes> zip(const Tile<kBytes>& halves) {
  Tile<kBytes> zipped;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kBytes / 2; ++i) {
    const Vector left = halves[i];
    const Vector right = halves[i + kBytes / 2];
    zipped[2 * i] = __builtin_shufflevector(left, right, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    zipped[2 * i + 1] =
        __builtin_shufflevector(left, right, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
  return zipped;
}

template <std::size_t kTimes, std::size_t kBytes>
inline Tile<kBytes> zip_times(const Tile<kBytes>& tile) {
  if constexpr (kTimes == 0) {
    return tile;
  } else {
    return zip_times<kTimes - 1>(zip(tile));
  }
}

// Of whole tiles; returns how many elements they have.
template <std::size_t kBytes>
std::size_t shuffle_tiles(const std::byte* from, std::size_t elements, std::byte* to) {
  const std::size_t whole = elements / kTile * kTile;
  for (std::size_t first = 0; first < whole; first += kTile) {
    Tile<kBytes> tile;
    std::memcpy(tile.data(), from + first * kBytes, sizeof tile);
    tile = zip_times<std::countr_zero(kTile)>(tile);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kBytes; ++b) std::memcpy(to + b * elements + first, &tile[b], kTile);
  }
  return whole;
}

template <std::size_t kBytes>
std::size_t unshuffle_tiles(const std::byte* from, std::size_t elements, std::byte* to) {
  const std::size_t whole = elements / kTile * kTile;
  for (std::size_t first = 0; first < whole; first += kTile) {
    Tile<kBytes> tile;
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kBytes; ++b) std::memcpy(&tile[b], from + b * elements + first, kTile);
    tile = zip_times<std::countr_zero(kBytes)>(tile);
    std::memcpy(to + first * kBytes, tile.data(), sizeof tile);
  }
  return whole;
}

}  // namespace

// Byte b of element e goes to place b * elements + e; what is left of the last element stays at the end.
void shuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  std::size_t done = 0;
  if (element_bytes == 8) done = shuffle_tiles<8>(from.data(), elements, to.data());
  if (element_bytes == 4) done = shuffle_tiles<4>(from.data(), elements, to.data());
  if (element_bytes == 2) done = shuffle_tiles<2>(from.data(), elements, to.data());
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
  std::size_t done = 0;
  if (element_bytes == 8) done = unshuffle_tiles<8>(from.data(), elements, to.data());
  if (element_bytes == 4) done = unshuffle_tiles<4>(from.data(), elements, to.data());
  if (element_bytes == 2) done = unshuffle_tiles<2>(from.data(), elements, to.data());
  for (std::size_t b = 0; b < element_bytes; ++b) {
    const std::byte* row = from.data() + b * elements;
    std::byte* column = to.data() + b;
    for (std::size_t e = done; e < elements; ++e) column[e * element_bytes] = row[e];
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
