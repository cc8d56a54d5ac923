// weft/support/large_memory.hpp - memory for many values, without paying for every 4 KiB page of it.
//
// The first touch of a page costs the system up to 3 us. Where large pages are to be had on request (the usual setting
// of Linux) a fresh 241 MB array takes 28 ms instead of 180.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace weft {

// Asks for large pages in [memory, + bytes), before its first touch. A wish: nothing happens where it cannot be
// granted, nor below a few large pages.
void prefer_large_pages(void* memory, std::size_t bytes);

// An allocator whose new elements are left as they are: what is about to be filled need not be zeroed first, and pages
// are first touched by the threads that fill them.
template <typename T>
struct UnfilledAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UnfilledAllocator<U>;
  };
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
  }
};

// A std::vector of numbers that are not zeroed when it is made.
template <typename T>
using Values = std::vector<T, UnfilledAllocator<T>>;

// Memory for `count` numbers, to be filled.
template <typename T>
Values<T> make_values(std::size_t count) {
  Values<T> values;
  values.reserve(count);
  prefer_large_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

}  // namespace weft

#pragma GCC visibility pop
