#include "weft/layout/isotropic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/error.hpp"

namespace weft::layout {

namespace {

std::uint64_t extent_for(std::uint64_t extent, std::uint64_t size) { return ceil_div(extent, ceil_div(extent, size)); }

bool fits(const Shape& shape, std::uint64_t size, std::uint64_t element_bytes, std::uint64_t target_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent_for(extent, size), &bytes)) return false;  // 2^40 cubed passes 64 bits
  }
  return bytes <= target_bytes;
}

}  // namespace

Shape isotropic_chunk(const Shape& shape, std::uint64_t element_bytes, std::uint64_t target_bytes) {
  const auto where = [&] { return fmt::format("shape {}", to_string(shape)); };
  if (shape.empty() || std::ranges::find(shape, 0U) != shape.end()) {
    throw Error(ErrorKind::usage, where(), "has no elements to put in chunks", "every extent is at least 1");
  }
  if (element_bytes == 0 || element_bytes > target_bytes) {
    throw Error(ErrorKind::usage, where(),
                fmt::format("an element of {} bytes does not fit a target of {} bytes", element_bytes, target_bytes),
                "raise the target");
  }
  // Along every axis the chunk never shrinks as the size grows, so fits() turns from true to false once.
  std::uint64_t size = 1;                                       // fits: one element does
  std::uint64_t beyond = *std::ranges::max_element(shape) + 1;  // no larger size changes anything
  while (beyond - size > 1) {
    const std::uint64_t middle = size + (beyond - size) / 2;
    (fits(shape, middle, element_bytes, target_bytes) ? size : beyond) = middle;
  }
  Shape chunk;
  for (const std::uint64_t extent : shape) chunk.push_back(extent_for(extent, size));
  return chunk;
}

}  // namespace weft::layout
