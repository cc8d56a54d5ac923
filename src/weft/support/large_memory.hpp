// weft/support/large_memory.hpp - memory for many values, without paying for every 4 KiB page of it.
//
// The first touch of a page costs the system up to 3 us. Where large pages are to be had on request (the usual setting
// of Linux) a fresh 241 MB array takes 28 ms instead of 180.
#pragma once

#include <cstddef>
#include <vector>

namespace weft {

// Asks for large pages in [memory, + bytes), before its first touch. A wish: nothing happens where it cannot be
// granted, nor below a few large pages.
void prefer_large_pages(void* memory, std::size_t bytes);

// `count` zeros.
template <typename T>
std::vector<T> make_values(std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  prefer_large_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

}  // namespace weft
