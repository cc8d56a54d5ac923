// bindings/status.hpp - from what C++ throws to what C returns.
#pragma once

#include <string_view>

#include "weft.h"
#include "weft/support/error.hpp"

namespace weft::c {

// Keeps what is being thrown as this thread's last error, and returns its status.
weft_status keep_error() noexcept;

template <typename Action>
weft_status guarded(const Action& action) noexcept {
  try {
    action();
    return WEFT_OK;
  } catch (...) {
    return keep_error();
  }
}

// Throw Error(usage) for NULL.
template <typename T>
T& given(T* pointer, std::string_view what) {
  if (pointer == nullptr) throw Error(ErrorKind::usage, what, "is NULL", "give one");
  return *pointer;
}
inline std::string_view text(const char* pointer, std::string_view what) { return &given(pointer, what); }

}  // namespace weft::c
