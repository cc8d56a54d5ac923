// with/front.hpp - what all functions that stand in front of HDF5 begin with.
#pragma once

#include <optional>

#include "with/counters.hpp"
#include "with/dataset.hpp"
#include "with/library.hpp"
#include "with/settings.hpp"
#include "with/write_behind.hpp"

// The HDF5 of whoever called this function, and its function of the same name; a call by that HDF5 itself, or by this
// library, goes on at once.
#define WEFT_FRONT(name, ...)                                                                     \
  ::weft::with::Library& library = ::weft::with::Library::of_caller(__builtin_return_address(0)); \
  auto* const real = WEFT_CALL(library, name);                                                    \
  if (real == nullptr) return -1;                                                                 \
  if (::weft::with::Inside::now()) return real(__VA_ARGS__)

namespace weft::with {

// What is done around a call never ends the program: where it fails, the call goes on as if it had not been tried.
template <class Result, class Function>
Result guarded(Result otherwise, Function function) {
  try {
    const Inside inside;
    return function();
  } catch (...) {
    return otherwise;
  }
}

// Steps of this dataset may wait no longer: something is about to look. `together`: by all ranks of its file.
void before_looking_at(Library& library, hid_t dataset, bool together);
// The same for the file of any object in it.
void before_looking_at_file(Library& library, hid_t object, bool together);
// And for everything.
void before_looking_at_all(Library& library);

}  // namespace weft::with
