#include "weft/refs/chunk_finder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/refs/zarr_codecs.hpp"
#include "weft/storage/chunk_places.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/chunk_tree.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/chunk_source.hpp"

namespace weft::refs {

namespace {

using storage::Handle;

constexpr const char* kWithoutFilters = "weft repack FILE COPY --filter none makes a copy that can be listed";

std::uint64_t chunks_a_row(const Shape& shape, const Shape& chunk) {
  std::uint64_t count = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) count *= ceil_div(shape[axis], chunk[axis]);
  return count;
}

}  // namespace

void ChunkFinder::check_inside(const std::string& path, std::uint64_t at, std::uint64_t bytes) const {
  const std::uint64_t size = store_.size();
  if (at <= size && bytes <= size - at) return;
  throw Error(ErrorKind::data, fmt::format("{}: {}", file_, path),
              fmt::format("has a chunk behind the end of the file, which has {} bytes", size),
              "the file is damaged: copy it again");
}

Error ChunkFinder::skipped_filters(const std::string& path) const {
  return {ErrorKind::data, fmt::format("{}: {}", file_, path),
          "some chunks are stored without a filter that would have made them longer, and zarr cannot say which",
          kWithoutFilters};
}

void ChunkFinder::check_filters(hid_t dataset, const ArrayReferences& array) const {
  if (const storage::Filter* unknown = first_without_codec(array.filters)) {
    throw Error(ErrorKind::data, fmt::format("{}: {}", file_, array.path),
                fmt::format("has the filter {}, which zarr's readers cannot undo", unknown->name),
                "weft repack FILE COPY --filter shuffle+zstd makes a copy that they can read");
  }
  const Handle properties(H5Dget_create_plist(dataset));
  unsigned options = 0;
  if (!array.filters.empty() && H5Pget_chunk_opts(properties, &options) >= 0 &&
      (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) {
    throw Error(ErrorKind::data, fmt::format("{}: {}", file_, array.path),
                "its chunks at the edges are stored without the filters of the others, which zarr cannot say",
                kWithoutFilters);
  }
}

void ChunkFinder::each_chunk(hid_t dataset, const survey::DatasetFacts& facts, const Add& add) const {
  const std::uint64_t grid = ceil_div(facts.shape[0], facts.chunk[0]) * chunks_a_row(facts.shape, facts.chunk);
  const std::uint64_t bytes = element_count(facts.chunk) * facts.element_bytes;
  if (const auto array = survey::array_in_bytes(dataset, facts)) {
    for (std::uint64_t n = 0; n < grid; ++n) add(n, array->addresses.at(n), bytes, 0);
    return;
  }
  constexpr std::uint64_t kHoweverMany = ~0ULL;
  storage::each_stored_chunk(
      dataset, facts.path, facts.stored_chunks, kHoweverMany, [&](const Shape& origin, const auto& place) {
        std::uint64_t number = 0;
        for (std::size_t axis = 0; axis < origin.size(); ++axis) {
          if (origin[axis] >= facts.shape[axis]) return;  // left over from before the dataset was made shorter
          number = number * ceil_div(facts.shape[axis], facts.chunk[axis]) + origin[axis] / facts.chunk[axis];
        }
        alive_();
        add(number, place.address, place.bytes, place.skipped);
      });
}

void ChunkFinder::find(hid_t dataset, const survey::DatasetFacts& facts, ArrayReferences& array) const {
  check_filters(dataset, array);
  each_chunk(dataset, facts, [&](std::uint64_t number, std::uint64_t at, std::uint64_t bytes, std::uint32_t skipped) {
    if (skipped != 0) throw skipped_filters(array.path);
    check_inside(array.path, at, bytes);
    array.chunks.push_back({number, at, bytes});
  });
  std::sort(array.chunks.begin(), array.chunks.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
}

void ChunkFinder::find_field(hid_t hdf5, const SeriesReader& series, std::size_t field, ArrayReferences& array) const {
  const std::uint64_t steps = array.shape[0];
  const std::uint64_t a_row = chunks_a_row(array.shape, array.chunk);
  for (std::size_t s = 0; s < series.catalog().segments.size(); ++s) {
    const storage::SegmentEntry& segment = series.catalog().segments[s];
    if (segment.first_step >= steps) break;
    const storage::ArrayEntry& entry = segment.fields[field];
    if (segment.first_step % array.chunk[0] != 0 || entry.chunk != array.chunk) {
      throw Error(ErrorKind::data, fmt::format("{}: {}", file_, array.path),
                  "its segments do not begin with whole chunks, so it is no one grid of chunks",
                  "weft import FILE COPY makes one dataset of it");
    }
    const std::uint64_t first = segment.first_step / array.chunk[0] * a_row;
    const std::uint64_t shown = std::min(segment.steps, steps - segment.first_step);
    const std::uint64_t chunks = ceil_div(shown, array.chunk[0]) * a_row;
    const auto add = [&](std::uint64_t number, std::uint64_t at, std::uint64_t bytes, std::uint32_t skipped) {
      if (number >= chunks) return;  // of steps that are not committed
      if (skipped != 0) throw skipped_filters(array.path);
      check_inside(array.path, at, bytes);
      array.chunks.push_back({first + number, at, bytes});
    };
    const Handle dataset(storage::check_hdf5(H5Dopen2(hdf5, entry.path.c_str(), H5P_DEFAULT), entry.path,
                                             "cannot be opened", ErrorKind::data));
    check_filters(dataset, array);
    if (entry.addresses.known()) {
      for (std::uint64_t number = 0; number < chunks; ++number) {
        add(number, entry.addresses.at(number), entry.chunk_bytes(), 0);
      }
    } else if (series.catalog().has_rooms()) {
      // The index of a series that is being written has the chunks of the committed steps, though HDF5 may not show
      // them yet.
      const std::vector<storage::IndexedChunk> index =
          storage::tree_of(entry).entries(store_, segment.rooms.at(field).index);
      for (std::uint64_t number = 0; number < chunks; ++number) {
        add(number, index.at(number).address, index.at(number).bytes, index.at(number).skipped);
      }
    } else {
      each_chunk(dataset, survey::facts_of(dataset, entry.path), add);
    }
    if (array.chunks.size() != first + chunks) {
      throw Error(ErrorKind::data, fmt::format("{}: {}", file_, array.path), "lacks chunks of committed steps",
                  fmt::format("see what is left of it: weft verify {}", file_));
    }
  }
  std::sort(array.chunks.begin(), array.chunks.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
}

}  // namespace weft::refs
