#include "with/lane_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/survey/box_copy.hpp"
#include "with/closing.hpp"
#include "with/settings.hpp"
#include "with/write_call.hpp"

namespace weft::with {

namespace {

void say_failed(const OpenDataset& dataset, const std::string& why) {
  say(fmt::format("{}{}: steps that waited could not be written; {}", dataset.file->name, dataset.path, why));
}

bool select(Library& library, hid_t space, const Box& box) {
  const std::vector<hsize_t> start(box.start.begin(), box.start.end());
  const std::vector<hsize_t> count(box.count.begin(), box.count.end());
  return WEFT_CALL(library, H5Sselect_hyperslab)(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >=
         0;
}

// The chunks that the windows hold elements of, by their place in the file; false where one has none.
bool place_chunks(Library& library, hid_t dataset, Batch& batch) {
  std::vector<Shape> starts;
  for (const StepWindow& window : batch.windows) {
    const Box filled = window.filled();
    if (window.nothing() || survey::is_empty(filled)) continue;
    survey::for_each_index(survey::chunks_touched(filled, batch.chunk), [&](const Shape& at) {
      Shape start = at;
      for (std::size_t axis = 0; axis < start.size(); ++axis) start[axis] *= batch.chunk[axis];
      starts.push_back(std::move(start));
    });
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (Shape& start : starts) {
    const std::vector<hsize_t> at(start.begin(), start.end());
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    if (WEFT_CALL(library, H5Dget_chunk_info_by_coord)(dataset, at.data(), &mask, &address, &bytes) < 0 ||
        address == HADDR_UNDEF || bytes != element_count(batch.chunk) * batch.element_bytes) {
      return false;
    }
    batch.chunks.push_back({std::move(start), address});
  }
  std::sort(batch.chunks.begin(), batch.chunks.end(),
            [](const PlacedChunk& a, const PlacedChunk& b) { return a.address < b.address; });
  return true;
}

}  // namespace

bool can_write_directly(Library& library, const OpenDataset& dataset, hid_t id, std::size_t axis, hid_t type) {
  if (!dataset.file->direct || dataset.filters > 0 || dataset.chunk.empty() || axis != 0) return false;
  if (!library.has(Call::H5Dget_chunk_info_by_coord)) return false;  // HDF5 before 1.10.5
  const Closing in_file(WEFT_CALL(library, H5Dget_type)(id), WEFT_CALL(library, H5Tclose));
  return in_file.valid() && WEFT_CALL(library, H5Tequal)(type, in_file.id()) > 0;
}

herr_t write_by_hdf5(OpenDataset& dataset, Lane& lane, bool together) {
  Library& library = *dataset.library;
  const bool nothing = lane.window.nothing() || lane.window.written() == lane.window.steps();
  if ((nothing && !together) || lane.window.steps() == 0) return 0;
  const hid_t held = dataset.waiting.held;
  const Closing file_space(WEFT_CALL(library, H5Dget_space)(held), WEFT_CALL(library, H5Sclose));
  const Shape shape = nothing ? Shape{1} : lane.window.memory_shape();
  const std::vector<hsize_t> memory_shape(shape.begin(), shape.end());
  const Closing memory_space(
      WEFT_CALL(library, H5Screate_simple)(static_cast<int>(shape.size()), memory_shape.data(), nullptr),
      WEFT_CALL(library, H5Sclose));
  bool selected = file_space.valid() && memory_space.valid();
  if (nothing) {
    selected = selected && WEFT_CALL(library, H5Sselect_none)(file_space.id()) >= 0 &&
               WEFT_CALL(library, H5Sselect_none)(memory_space.id()) >= 0;
  } else {
    selected = selected && select(library, file_space.id(), lane.window.filled()) &&
               select(library, memory_space.id(), lane.window.memory_box());
  }
  DatasetCounters& counters = *dataset.counters;
  Kind& kind = counters.writes[Access::snapshot];
  const double begin = now();
  herr_t written = -1;
  if (selected) {
    const Counting counting(settings().watch ? &kind.requests : nullptr);
    const std::byte none{};
    written = WEFT_CALL(library, H5Dwrite)(held, lane.type, memory_space.id(), file_space.id(),
                                           transfer_list(library, together), nothing ? &none : lane.window.data());
  }
  kind.seconds += now() - begin;
  counters.gathered_steps += lane.window.steps() - lane.window.written();
  ++counters.gathered_writes;
  if (written < 0) say_failed(dataset, "HDF5 says above why");
  return written;
}

herr_t write_directly(OpenDataset& dataset, const std::vector<Lane*>& lanes) {
  Library& library = *dataset.library;
  const hid_t held = dataset.waiting.held;
  const double begin = now();
  Batch batch;
  const Closing space(WEFT_CALL(library, H5Dget_space)(held), WEFT_CALL(library, H5Sclose));
  batch.extents = extents(library, space.id()).value_or(Shape{});
  batch.chunk = dataset.chunk;
  batch.element_bytes = dataset.element_bytes;
  batch.zero_padding = dataset.zero_fill;
  batch.counters = dataset.counters;
  std::uint64_t steps = 0;
  for (Lane* lane : lanes) {
    const Step part = lane->window.part();
    const std::uint64_t next = lane->window.first() + lane->window.steps();
    steps += lane->window.steps() - lane->window.written();
    auto fresh = dataset.file->direct->spare(part);
    if (!fresh) fresh.emplace(part, next, 1, dataset.element_bytes);
    batch.windows.push_back(std::exchange(lane->window, std::move(*fresh)));
    lane->window.restart(next, batch.windows.back().capacity());
  }
  if (!place_chunks(library, held, batch)) {
    say_failed(dataset, "HDF5 gives a chunk no place");
    return -1;
  }
  dataset.file->direct->submit(std::move(batch));
  dataset.counters->writes[Access::snapshot].seconds += now() - begin;
  dataset.counters->gathered_steps += steps;
  ++dataset.counters->gathered_writes;
  return 0;
}

herr_t finish_direct(OpenDataset& dataset) {
  if (!dataset.file->direct) return 0;
  const double begin = now();
  const bool written = dataset.file->direct->finish();
  dataset.counters->writes[Access::snapshot].seconds += now() - begin;
  if (written) return 0;
  say_failed(dataset, dataset.file->direct->why());
  return -1;
}

}  // namespace weft::with
