// with/front_data.cpp - H5Dread(), H5Dwrite() and the extent of a dataset.
#include <algorithm>

#include "with/front.hpp"

using namespace weft::with;  // NOLINT(google-build-using-namespace): this file defines HDF5's names, which are global

namespace {

std::uint64_t chunks_touched(const Selection& selection, const weft::Shape& chunk) {
  if (chunk.empty() || selection.kind == Selection::Kind::none || selection.box.count.size() != chunk.size()) return 0;
  std::uint64_t chunks = 1;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    const std::uint64_t first = selection.box.start[axis] / chunk[axis];
    const std::uint64_t last = (selection.box.start[axis] + selection.box.count[axis] - 1) / chunk[axis];
    chunks *= last - first + 1;
  }
  return chunks;
}

// The row of the report that a call belongs to, counted there; null where nothing is watched.
Kind* count_call(Library& library, hid_t id, hid_t space, hid_t transfer, bool writes) {
  const std::lock_guard lock(gate());
  note_hdf5(library);
  const auto dataset = dataset_of(library, id);
  if (!dataset) return nullptr;
  DatasetCounters& counters = *dataset->counters;
  hid_t of_file = space;
  const bool whole = space == H5S_ALL;
  const hid_t own = whole && !dataset->is_virtual ? WEFT_CALL(library, H5Dget_space)(id) : -1;
  if (own >= 0) of_file = own;
  if (whole && own < 0) {  // of a virtual dataset nobody asks how long it is
    Kind& all = (writes ? counters.writes : counters.reads)[Access::whole];
    ++all.calls;
    return &all;
  }
  if (const auto shape = extents(library, of_file)) counters.shape = *shape;
  if (own >= 0) WEFT_CALL(library, H5Sclose)(own);
  const Selection selection = file_selection(library, space, counters.shape);
  Kind& kind = (writes ? counters.writes : counters.reads)[access_of(selection, counters.shape)];
  ++kind.calls;
  kind.bytes += selection.elements * dataset->element_bytes;
  kind.chunks += chunks_touched(selection, dataset->chunk);
  if (dataset->file && dataset->file->through_mpi && is_collective(library, transfer)) ++kind.collective;
  const bool alike = !dataset->chunk.empty() && dataset->filters == 0;
  kind.requests.whole_read_bytes = alike ? weft::element_count(dataset->chunk) * dataset->element_bytes : 0;
  return &kind;
}

}  // namespace

extern "C" herr_t H5Dread(hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer, void* values) {
  WEFT_FRONT(H5Dread, dataset, type, memory, space, transfer, values);
  before_looking_at(library, dataset, is_collective(library, transfer));
  Kind* kind = nullptr;
  if (settings().watch) {
    kind = guarded<Kind*>(nullptr, [&] { return count_call(library, dataset, space, transfer, false); });
  }
  if (kind == nullptr) return real(dataset, type, memory, space, transfer, values);
  const Inside inside;
  const Counting counting(&kind->requests);
  const double begin = now();
  const herr_t done = real(dataset, type, memory, space, transfer, values);
  kind->seconds += now() - begin;
  return done;
}

extern "C" herr_t H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer, const void* values) {
  WEFT_FRONT(H5Dwrite, dataset, type, memory, space, transfer, values);
  Kind* kind = nullptr;
  if (settings().watch) {
    kind = guarded<Kind*>(nullptr, [&] { return count_call(library, dataset, space, transfer, true); });
  }
  double* quickest = nullptr;
  if (settings().write_behind) {
    const auto waits = guarded<std::optional<herr_t>>(std::nullopt, [&] {
      return write_behind(library, {dataset, type, memory, space, transfer, values, &quickest});
    });
    if (waits) return *waits;
  }
  if (kind == nullptr && quickest == nullptr) return real(dataset, type, memory, space, transfer, values);
  const Inside inside;
  const Counting counting(kind == nullptr ? nullptr : &kind->requests);
  const double begin = now();
  const herr_t done = real(dataset, type, memory, space, transfer, values);
  const double seconds = now() - begin;
  if (kind != nullptr) kind->seconds += seconds;
  if (quickest != nullptr) *quickest = *quickest == 0 ? seconds : std::min(*quickest, seconds);
  return done;
}

namespace {

// Steps that wait where the dataset will no longer be have to be in it before, as they were. To cut a dataset, HDF5
// fetches chunks into memory, in a file that ranks share, too, and what is written there afterwards may be lost when it
// writes them back (seen with 1.10.8, without this library): such a dataset is left alone until the program closes it.
void before_extent(Library& library, hid_t id, const hsize_t* extents_now) {
  if (!settings().write_behind || extents_now == nullptr) return;
  guarded(0, [&] {
    const std::lock_guard lock(gate());
    const auto dataset = dataset_of(library, id);
    if (!dataset || dataset->is_virtual) return 0;
    const hid_t space = WEFT_CALL(library, H5Dget_space)(id);
    const auto shape = extents(library, space);
    WEFT_CALL(library, H5Sclose)(space);
    bool smaller = !shape;
    for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
      smaller = smaller || extents_now[axis] < (*shape)[axis];
    }
    if (!smaller) return 0;
    const herr_t flushed = release(*dataset, true);
    dataset->left_alone = dataset->left_alone || !dataset->file || dataset->file->through_mpi;
    return flushed;
  });
}

}  // namespace

extern "C" herr_t H5Dset_extent(hid_t dataset, const hsize_t extents_now[]) {
  WEFT_FRONT(H5Dset_extent, dataset, extents_now);
  before_extent(library, dataset, extents_now);
  return real(dataset, extents_now);
}

extern "C" herr_t H5Dextend(hid_t dataset, const hsize_t extents_now[]) {
  WEFT_FRONT(H5Dextend, dataset, extents_now);
  before_extent(library, dataset, extents_now);
  return real(dataset, extents_now);
}
