// weft/support/byte_planes.hpp - numbers with the first bytes of all together, then the second ones, and so on: as
// HDF5's shuffle leaves them.
//
// Plane b holds byte b of each number. Planes lie `plane_bytes` apart, so a call may fill a part of each.
#pragma once

#include <cstddef>
#include <span>

namespace weft {

// Byte b of number i goes to planes[b * plane_bytes + i]. There are whole numbers in `numbers`.
void to_byte_planes(std::span<const std::byte> numbers, std::size_t number_bytes, std::byte* planes,
                    std::size_t plane_bytes);
// And back.
void from_byte_planes(const std::byte* planes, std::size_t plane_bytes, std::size_t number_bytes,
                      std::span<std::byte> numbers);

}  // namespace weft
