#include "weft/support/byte_planes.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace weft {

namespace {

// Numbers of 2, 4 or 8 bytes are turned 16 at a time, in as many vectors of 16 bytes as a number has bytes. Where a
// byte stands among those of all vectors is told by 4 bits within a vector and log2(kBytes) bits that name it. To
// zip the first half of the vectors with the second one, byte by byte, rotates those bits by one to the left. Four
// times that, and the bits of the number (4 in front, as it begins) have gone behind those of the byte in it.
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

// Of whole tiles; returns how many numbers they have.
template <std::size_t kBytes>
std::size_t tiles_to_planes(const std::byte* from, std::size_t count, std::byte* planes, std::size_t plane_bytes) {
  const std::size_t whole = count / kTile * kTile;
  for (std::size_t first = 0; first < whole; first += kTile) {
    Tile<kBytes> tile;
    std::memcpy(tile.data(), from + first * kBytes, sizeof tile);
    tile = zip_times<std::countr_zero(kTile)>(tile);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kBytes; ++b) std::memcpy(planes + b * plane_bytes + first, &tile[b], kTile);
  }
  return whole;
}

template <std::size_t kBytes>
std::size_t tiles_from_planes(const std::byte* planes, std::size_t plane_bytes, std::size_t count, std::byte* to) {
  const std::size_t whole = count / kTile * kTile;
  for (std::size_t first = 0; first < whole; first += kTile) {
    Tile<kBytes> tile;
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kBytes; ++b) std::memcpy(&tile[b], planes + b * plane_bytes + first, kTile);
    tile = zip_times<std::countr_zero(kBytes)>(tile);
    std::memcpy(to + first * kBytes, tile.data(), sizeof tile);
  }
  return whole;
}

}  // namespace

void to_byte_planes(std::span<const std::byte> numbers, std::size_t number_bytes, std::byte* planes,
                    std::size_t plane_bytes) {
  const std::size_t count = numbers.size() / number_bytes;
  std::size_t done = 0;
  if (number_bytes == 8) done = tiles_to_planes<8>(numbers.data(), count, planes, plane_bytes);
  if (number_bytes == 4) done = tiles_to_planes<4>(numbers.data(), count, planes, plane_bytes);
  if (number_bytes == 2) done = tiles_to_planes<2>(numbers.data(), count, planes, plane_bytes);
  for (std::size_t b = 0; b < number_bytes; ++b) {
    std::byte* plane = planes + b * plane_bytes;
    for (std::size_t i = done; i < count; ++i) plane[i] = numbers[i * number_bytes + b];
  }
}

void from_byte_planes(const std::byte* planes, std::size_t plane_bytes, std::size_t number_bytes,
                      std::span<std::byte> numbers) {
  const std::size_t count = numbers.size() / number_bytes;
  std::size_t done = 0;
  if (number_bytes == 8) done = tiles_from_planes<8>(planes, plane_bytes, count, numbers.data());
  if (number_bytes == 4) done = tiles_from_planes<4>(planes, plane_bytes, count, numbers.data());
  if (number_bytes == 2) done = tiles_from_planes<2>(planes, plane_bytes, count, numbers.data());
  for (std::size_t b = 0; b < number_bytes; ++b) {
    const std::byte* plane = planes + b * plane_bytes;
    for (std::size_t i = done; i < count; ++i) numbers[i * number_bytes + b] = plane[i];
  }
}

}  // namespace weft
