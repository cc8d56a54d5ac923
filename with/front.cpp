#include "with/front.hpp"

#include <pthread.h>

#include <cstdlib>
#include <mutex>
#include <set>

namespace weft::with {

namespace {

__attribute__((constructor)) void begin() {
  if (settings().write_behind) pthread_atfork(nullptr, nullptr, [] { forget_what_waits(); });
}

// After HDF5 has closed what was left open.
__attribute__((destructor)) void end() { leave_report(); }

}  // namespace

void before_looking_at(Library& library, hid_t id, bool together) {
  if (!anything_waits()) return;
  guarded(0, [&] {
    const std::lock_guard lock(gate());
    const auto dataset = dataset_of(library, id);
    if (!dataset) return 0;
    // A virtual dataset shows what is in others.
    if (dataset->is_virtual) return flush_all(library, together);
    if (dataset->waiting.empty()) return 0;
    return flush(*dataset, together || !dataset->file->through_mpi);
  });
}

void before_looking_at_file(Library& library, hid_t object, bool together) {
  if (!anything_waits()) return;
  guarded(0, [&] {
    const std::lock_guard lock(gate());
    const auto identity = identity_of(library, object);
    const auto file = identity ? file_of(library, object) : nullptr;
    return file ? flush_file(library, identity->file, together || !file->through_mpi) : flush_all(library, together);
  });
}

void before_looking_at_all(Library& library) {
  if (!anything_waits()) return;
  guarded(0, [&] { return flush_all(library, false); });
}

}  // namespace weft::with
