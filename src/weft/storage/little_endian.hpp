// weft/storage/little_endian.hpp - whole numbers as HDF5's metadata have them: the least byte first, any width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::storage {

inline std::uint64_t get_little_endian(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

inline void put_little_endian(std::span<std::byte> bytes, std::size_t at, std::size_t width, std::uint64_t value) {
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace weft::storage
