#include "weft/storage/filtered_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "weft/storage/bit_rounding.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

const ArrayEntry& array_of(const SeriesCatalog& catalog, std::size_t field) {
  return catalog.segments.at(0).fields.at(field);
}

std::vector<Filter> filters_of_field(const SeriesCatalog& catalog, std::size_t field) {
  const FieldEntry& entry = catalog.fields.at(field);
  return parse_filters(entry.filter, size_of(entry.type));
}

}  // namespace

std::vector<std::byte> read_filtered_chunk(ByteStore& store, const SeriesCatalog& catalog, std::size_t field,
                                           std::uint64_t chunk, ChunkCoder& coder) {
  const ArrayEntry& array = array_of(catalog, field);
  const IndexedChunk stored = tree_of(array).entry_of(store, catalog.segments[0].rooms.at(field).index, chunk);
  std::vector<std::byte> bytes(stored.bytes);
  store.read_at(stored.address, MutableBytes(bytes));
  std::vector<std::byte> decoded(array.chunk_bytes());
  coder.decode(bytes, stored.skipped, decoded);
  return decoded;
}

FilteredChunks::Made FilteredChunks::encode_one(ChunkCoder& coder, const ChunkSteps& steps) const {
  const ArrayEntry& array = array_of(catalog_, steps.field);
  Made one{steps.field, steps.chunk, steps.first > 0, {}};
  const FieldEntry& field = catalog_.fields.at(steps.field);
  if (steps.steps.size() == array.chunk_bytes() && field.kept_bits == 0) {
    one.encoded = coder.encode(steps.steps);
    return one;
  }
  std::vector<std::byte> whole;
  try {
    whole = steps.first > 0 ? read_filtered_chunk(store_, catalog_, steps.field, steps.chunk, coder)
                            : std::vector<std::byte>(array.chunk_bytes());
  } catch (const Error& error) {
    throw Error(error.kind(), catalog_.path, fmt::format("chunk {} of {} {}", steps.chunk, array.path, error.what()));
  }
  const std::uint64_t step_bytes = array.chunk_bytes() / array.chunk[0];
  std::copy(steps.steps.begin(), steps.steps.end(),
            whole.begin() + static_cast<std::ptrdiff_t>(steps.first * step_bytes));
  // The steps that were there are rounded already, and stay as they are.
  if (field.kept_bits > 0) round_bits(whole, field.type, field.kept_bits);
  one.encoded = coder.encode(whole);
  return one;
}

// Of what encode() makes.
void FilteredChunks::make_room(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return aside_bytes_ == 0 || aside_bytes_ + made_bytes_ + bytes <= most_bytes_; });
  made_bytes_ += bytes;
}

void FilteredChunks::forget_aside() {
  aside_.clear();
  const std::scoped_lock lock(mutex_);
  aside_bytes_ = 0;
  changed_.notify_all();
}

void FilteredChunks::encode(const std::vector<ChunkSteps>& chunks) {
  made_.assign(chunks.size(), {});
  {
    const std::scoped_lock lock(mutex_);
    made_bytes_ = 0;
    most_bytes_ = 0;
    for (const ChunkSteps& chunk : chunks) most_bytes_ += array_of(catalog_, chunk.field).chunk_bytes();
  }
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      std::map<std::size_t, ChunkCoder> coders;  // one a field, and none shared with another thread
      for (std::size_t i = next++; i < chunks.size(); i = next++) {
        auto coder = coders.find(chunks[i].field);
        if (coder == coders.end()) {
          coder = coders.emplace(chunks[i].field, ChunkCoder(filters_of_field(catalog_, chunks[i].field))).first;
        }
        made_[i] = encode_one(coder->second, chunks[i]);
        make_room(made_[i].encoded.bytes.size());
      }
    } catch (...) {
      const std::scoped_lock lock(failing);
      failure = std::current_exception();
      next = chunks.size();
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < std::min<std::size_t>(threads_, chunks.size()); ++t) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  if (failure) {
    made_.clear();
    bytes_ = 0;
    std::rethrow_exception(failure);
  }
  std::sort(made_.begin(), made_.end(),
            [](const Made& a, const Made& b) { return a.field != b.field ? a.field < b.field : a.chunk < b.chunk; });
  bytes_ = 0;
  for (const Made& one : made_) bytes_ += one.encoded.bytes.size();
}

bool FilteredChunks::set_aside() {
  if (made_.empty()) return false;
  aside_ = std::exchange(made_, {});
  const std::scoped_lock lock(mutex_);
  aside_bytes_ = std::exchange(bytes_, 0);
  return true;
}

std::vector<WriteRequest> FilteredChunks::place(std::uint64_t at) {
  if (aside_.empty()) return {};
  placed_at_ = at;
  WriteRequest request{at, 0, {}, 0};
  for (const Made& one : aside_) {
    request.pieces.emplace_back(one.encoded.bytes);
    request.bytes += one.encoded.bytes.size();
  }
  request.chunk_end = at + request.bytes;
  return {request};
}

void FilteredChunks::write_entries() {
  // What an entry leads away from may count already: a power cut must not leave the new entry without the new chunk.
  if (std::any_of(aside_.begin(), aside_.end(), [](const Made& one) { return one.anew; })) store_.sync();
  std::uint64_t at = placed_at_;
  std::vector<std::byte> entries;  // that follow each other
  std::uint64_t begin = 0;
  const auto flush = [&] {
    if (!entries.empty()) store_.write_at(begin, Bytes(entries));
    entries.clear();
  };
  for (std::size_t i = 0; i < aside_.size(); ++i) {
    const Made& one = aside_[i];
    const ChunkTree tree = tree_of(array_of(catalog_, one.field));
    const std::uint64_t index = catalog_.segments[0].rooms.at(one.field).index;
    const bool follows = i > 0 && aside_[i - 1].field == one.field && aside_[i - 1].chunk + 1 == one.chunk &&
                         ChunkTree::leaf_of(one.chunk) == ChunkTree::leaf_of(aside_[i - 1].chunk);
    if (!follows) {
      flush();
      begin = tree.entry_at(index, one.chunk);
    }
    const auto bytes = static_cast<std::uint32_t>(one.encoded.bytes.size());
    const std::vector<std::byte> entry = tree.entry(one.chunk, {at, bytes, one.encoded.skipped});
    entries.insert(entries.end(), entry.begin(), entry.end());
    at += bytes;
  }
  flush();
  forget_aside();
}

}  // namespace weft::storage
