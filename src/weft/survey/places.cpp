#include "weft/survey/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/storage/chunk_places.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/survey/pieces.hpp"
#include "weft/survey/survey.hpp"

namespace weft::survey {

namespace {

using storage::check_hdf5;
using storage::Handle;

// Chunks of an implicit index lie behind each other: the first one's address says where all are.
void add_implicit(hid_t dataset, const DatasetFacts& facts, const std::string& path, std::vector<DataRange>& places) {
  const std::vector<hsize_t> first(facts.shape.size(), 0);
  unsigned skipped = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  check_hdf5(H5Dget_chunk_info_by_coord(dataset, first.data(), &skipped, &address, &size), path,
             "its chunks cannot be found", ErrorKind::data);
  if (address == HADDR_UNDEF) return;
  const std::uint64_t chunks = Pieces(facts.shape, facts.chunk).count();
  places.push_back({address, address + chunks * size, path});
}

void add_chunk(haddr_t address, hsize_t size, const std::string& path, bool join, std::vector<DataRange>& places) {
  if (address == HADDR_UNDEF) return;
  if (size > HADDR_UNDEF - address) throw Error(ErrorKind::data, path, "a chunk ends after the end of every file");
  if (join && !places.empty() && places.back().end == address && places.back().owner == path) {
    places.back().end = address + size;
  } else {
    places.push_back({address, address + size, path});
  }
}

}  // namespace

bool add_places(hid_t dataset, const std::string& path, std::vector<DataRange>& places) {
  const DatasetFacts facts = facts_of(dataset, path);
  if (facts.storage == StorageKind::contiguous) {
    const haddr_t address = H5Dget_offset(dataset);
    if (address != HADDR_UNDEF && facts.stored_bytes > 0) {
      places.push_back({address, address + facts.stored_bytes, path});
    }
    return true;
  }
  if (facts.storage != StorageKind::chunked || facts.stored_chunks == 0 || facts.empty) return true;
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  check_hdf5(H5Dget_chunk_index_type(dataset, &index), path, "its chunks cannot be found", ErrorKind::data);
  if (index == H5D_CHUNK_IDX_NONE) {
    add_implicit(dataset, facts, path, places);
    return true;
  }
  const bool join = facts.filters.empty();
  return storage::each_stored_chunk(
      dataset, path, facts.stored_chunks, kMostPlaces,
      [&](const Shape&, const auto& place) { add_chunk(place.address, place.bytes, path, join, places); });
}

std::optional<std::string> first_conflict(std::vector<DataRange>& places, std::uint64_t file_bytes) {
  std::sort(places.begin(), places.end(), [](const DataRange& a, const DataRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  const DataRange* before = nullptr;  // the one that reaches farthest so far
  for (const DataRange& place : places) {
    if (place.end > file_bytes) {
      return fmt::format("{} has data at bytes {} to {} of a file of {}", place.owner, place.begin, place.end,
                         file_bytes);
    }
    if (before != nullptr && place.begin < before->end) {
      return fmt::format("{} and {} both have data at byte {}", before->owner, place.owner, place.begin);
    }
    if (before == nullptr || place.end > before->end) before = &place;
  }
  return std::nullopt;
}

}  // namespace weft::survey
