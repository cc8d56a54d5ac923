#include "weft/storage/metadata_ranges.hpp"

namespace weft::storage {

namespace {

// Of what lies wholly before this place in the file.
void add_array(std::vector<ByteRange>& ranges, const ArrayEntry& array, std::uint64_t before = ~0ULL) {
  // Where they are not known, its bytes are carried along as if they were metadata.
  for (const auto& [begin, end] : array.addresses.byte_ranges(array.chunks(), array.chunk_bytes())) {
    if (end <= before) ranges.push_back({begin, end});
  }
}

}  // namespace

std::vector<ByteRange> metadata_ranges(const SeriesCatalog& catalog, std::vector<ByteRange> data, std::uint64_t size,
                                       std::uint64_t old_size) {
  for (const SegmentEntry& segment : catalog.segments) {
    for (std::size_t f = 0; f < segment.fields.size(); ++f) {
      add_array(data, segment.fields[f], f > 0 ? ~0ULL : old_size);
    }
  }
  for (const ArrayEntry& array : catalog.fixed_arrays) add_array(data, array);
  for (const ArrayEntry* slots : {&catalog.commit, &catalog.durable, &catalog.writer}) {
    if (!slots->shape.empty()) add_array(data, *slots, old_size);
  }
  std::sort(data.begin(), data.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  std::vector<ByteRange> rest;
  std::uint64_t at = 0;
  for (const ByteRange& range : data) {
    if (range.begin > at) rest.push_back({at, std::min(range.begin, size)});
    at = std::max(at, range.end);
  }
  if (at < size) rest.push_back({at, size});
  return rest;
}

std::uint64_t bytes_of(const std::vector<ByteRange>& ranges) {
  std::uint64_t bytes = 0;
  for (const ByteRange& range : ranges) bytes += range.end - range.begin;
  return bytes;
}

std::vector<std::byte> read_range(ByteStore& store, const ByteRange& range) {
  std::vector<std::byte> bytes(range.end - range.begin);
  store.read_at(range.begin, MutableBytes(bytes));
  return bytes;
}

void copy_range(ByteStore& from, ByteStore& to, const ByteRange& range) {
  constexpr std::size_t kBlock = 64 << 10;
  each_piece(range, [&](const ByteRange& piece) {
    const std::vector<std::byte> bytes = read_range(from, piece);
    const auto is_empty = [&](std::size_t at) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + kBlock, bytes.size()));
      return std::all_of(begin, end, [](std::byte b) { return b == std::byte{0}; });
    };
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t end = at;
      while (end < bytes.size() && !is_empty(end)) end = std::min(end + kBlock, bytes.size());
      if (end > at) to.write_at(piece.begin + at, Bytes(bytes).subspan(at, end - at));
      at = end + kBlock;
    }
  });
}

}  // namespace weft::storage
