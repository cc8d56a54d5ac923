// with/front_files.hpp - what is done where a file is closed, by whichever function.
#pragma once

#include "with/front.hpp"

namespace weft::with {

// Writes what waits for the file, forgets all of it.  Returns whether everything could be written.
bool before_close(Library& library, hid_t file);

// The counters of the file of an object, where it is watched.
std::shared_ptr<FileCounters> counters_for(Library& library, hid_t object);

// Closes a file by `close`, which returns below 0 where that failed; so does this where steps that waited were lost.
template <class Close>
herr_t close_file(Library& library, hid_t file, Close close) {
  const auto counters = counters_for(library, file);
  const double begin = now();
  const bool written = before_close(library, file);
  herr_t closed = -1;
  {
    const Inside inside;
    const Counting counting(counters ? &counters->requests : nullptr);
    closed = close();
  }
  if (counters) counters->close_seconds += now() - begin;
  return written ? closed : -1;
}

}  // namespace weft::with
