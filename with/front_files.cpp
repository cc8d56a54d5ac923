// with/front_files.cpp - files are created, opened, flushed and closed.
#include <cstdlib>

#include "with/front_files.hpp"

using namespace weft::with;  // NOLINT(google-build-using-namespace): this file defines HDF5's names, which are global

namespace {

// HDF5 closes what is open when a program ends; it asked for that when it began, and so this comes before it.
void flush_at_exit(Library& library) {
  if (!settings().write_behind) return;
  static Library* const first = &library;
  static const int asked = std::atexit([] { guarded(0, [] { return release_all(*first); }); });
  (void)asked;
}

template <class Open>
hid_t open_counted(Library& library, Open open) {
  Requests requests;
  const double begin = now();
  hid_t file = -1;
  {
    const Inside inside;
    const Counting counting(settings().watch ? &requests : nullptr);
    file = open();
  }
  if (file < 0) return file;
  const double seconds = now() - begin;
  guarded(0, [&] {
    note_hdf5(library);
    flush_at_exit(library);
    opened(library, file);
    const auto known = file_of(library, file);
    if (!known) return 0;
    FileCounters& counters = *known->counters;
    ++counters.opens;
    counters.open_seconds += seconds;
    counters.requests.reads += requests.reads;
    counters.requests.read_bytes += requests.read_bytes;
    counters.requests.writes += requests.writes;
    counters.requests.write_bytes += requests.write_bytes;
    return 0;
  });
  return file;
}

}  // namespace

namespace weft::with {

std::shared_ptr<FileCounters> counters_for(Library& library, hid_t object) {
  if (!settings().watch) return nullptr;
  return guarded<std::shared_ptr<FileCounters>>(nullptr, [&]() -> std::shared_ptr<FileCounters> {
    const auto file = file_of(library, object);
    return file ? file->counters : nullptr;
  });
}

// Returns whether all that waited could be written.
bool before_close(Library& library, hid_t file) {
  return guarded(true, [&] {
    const std::lock_guard lock(gate());
    if (forget_fresh(library, file)) return true;
    const auto identity = identity_of(library, file);
    if (!identity) return true;
    const bool written = !settings().write_behind || release_file(library, identity->file) >= 0;
    forget_file(library, identity->file);
    return written;
  });
}

}  // namespace weft::with

extern "C" hid_t H5Fcreate(const char* name, unsigned flags, hid_t creation, hid_t access) {
  WEFT_FRONT(H5Fcreate, name, flags, creation, access);
  return open_counted(library, [&] { return real(name, flags, creation, access); });
}

extern "C" hid_t H5Fopen(const char* name, unsigned flags, hid_t access) {
  WEFT_FRONT(H5Fopen, name, flags, access);
  return open_counted(library, [&] { return real(name, flags, access); });
}

extern "C" herr_t H5Fclose(hid_t file) {
  WEFT_FRONT(H5Fclose, file);
  return close_file(library, file, [&] { return real(file); });
}

extern "C" herr_t H5Fclose_async(const char* source, const char* function, unsigned line, hid_t file, hid_t set) {
  WEFT_FRONT(H5Fclose_async, source, function, line, file, set);
  const bool written = before_close(library, file);
  const herr_t closed = real(source, function, line, file, set);
  return written ? closed : -1;
}

extern "C" herr_t H5Fflush(hid_t object, H5F_scope_t scope) {
  WEFT_FRONT(H5Fflush, object, scope);
  const auto counters = counters_for(library, object);
  const double begin = now();
  const bool written = !anything_waits() || guarded(true, [&] {
    const std::lock_guard lock(gate());
    const auto identity = identity_of(library, object);
    return !identity || flush_file(library, identity->file, true) >= 0;
  });
  const Inside inside;
  const Counting counting(counters ? &counters->requests : nullptr);
  const herr_t flushed = real(object, scope);
  if (counters) {
    ++counters->flushes;
    counters->flush_seconds += now() - begin;
  }
  return written ? flushed : -1;
}

extern "C" herr_t H5Fflush_async(const char* source, const char* function, unsigned line, hid_t object,
                                 H5F_scope_t scope, hid_t set) {
  WEFT_FRONT(H5Fflush_async, source, function, line, object, scope, set);
  before_looking_at_file(library, object, true);
  return real(source, function, line, object, scope, set);
}

// A program that asks what is open finds what it opened: what is held for waiting steps is given back first. Ranks that
// share a file cannot do that on their own.
namespace {

void before_counting(Library& library, hid_t file) {
  if (!settings().write_behind) return;
  guarded(0, [&] {
    const std::lock_guard lock(gate());
    const auto identity = identity_of(library, file);  // none: of all files
    if (!identity) return release_all(library);
    const auto known = file_of(library, file);
    return known && !known->through_mpi ? release_file(library, identity->file) : 0;
  });
}

}  // namespace

extern "C" ssize_t H5Fget_obj_count(hid_t file, unsigned types) {
  WEFT_FRONT(H5Fget_obj_count, file, types);
  before_counting(library, file);
  return real(file, types);
}

extern "C" ssize_t H5Fget_obj_ids(hid_t file, unsigned types, size_t most, hid_t* list) {
  WEFT_FRONT(H5Fget_obj_ids, file, types, most, list);
  before_counting(library, file);
  return real(file, types, most, list);
}

extern "C" herr_t H5close() {
  WEFT_FRONT(H5close);
  if (settings().write_behind) guarded(0, [&] { return release_all(library); });
  return real();
}
