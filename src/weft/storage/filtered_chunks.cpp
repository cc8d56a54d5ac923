#include "weft/storage/filtered_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "weft/storage/bit_rounding.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/support/byte_planes.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kLeastPages = 64;            // of a block: what fills up its last one is less than 1 %
constexpr std::uint64_t kLargestBlock = 4ULL << 20;  // but for longer chunks
constexpr std::uint64_t kWorthPages = 4ULL << 20;    // of a window; less is copied before it is written

const ArrayEntry& array_of(const SeriesCatalog& catalog, std::size_t field) {
  return catalog.segments.at(0).fields.at(field);
}

std::uint64_t bytes_of(const ChunkSteps& steps, const ArrayEntry& array) {
  return steps.shuffled > 0 ? array.chunk_bytes() / array.chunk[0] * steps.shuffled : steps.steps.size();
}

std::vector<Filter> filters_of_field(const SeriesCatalog& catalog, std::size_t field) {
  const FieldEntry& entry = catalog.fields.at(field);
  return parse_filters(entry.filter, size_of(entry.type));
}

}  // namespace

std::uint64_t first_place(std::uint64_t end, std::uint64_t window_bytes) {
  return window_bytes < kWorthPages ? end : ceil_div(end, page_bytes()) * page_bytes();
}

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

// One of the threads that encode, with what it made so far.
class FilteredChunks::Worker {
 public:
  // Its blocks have room for so many bytes, and so for every chunk as it is.
  Worker(FilteredChunks& all, std::uint64_t block_bytes) : all_(all), block_bytes_(block_bytes) {}

  void encode(const ChunkSteps& steps) {
    ChunkCoder& coder = coder_of(steps.field);
    const std::span<std::byte> rest = mine_.blocks.empty() ? std::span<std::byte>() : mine_.blocks.back().rest();
    const ToEncode chunk = chunk_of(steps, coder);
    const auto [bytes, skipped] = coder.encode_here(chunk.bytes, rest, chunk.filters_done);
    if (mine_.blocks.empty() || rest.size() < bytes.size()) {
      mine_.blocks.push_back(all_.spare_.take(bytes.size(), block_bytes_));
    }
    const std::uint64_t at = mine_.blocks.back().append(bytes);
    const bool anew = steps.first > 0;
    mine_.chunks.push_back({steps.field, steps.chunk, anew, skipped, mine_.blocks.size() - 1, at, bytes.size()});
    all_.make_room(bytes.size());
  }

  // Gives what was made to `all`; for one thread at a time.
  void hand_over(Window& all) {
    for (Made& one : mine_.chunks) {
      one.block += all.blocks.size();
      all.chunks.push_back(one);
    }
    std::ranges::move(mine_.blocks, std::back_inserter(all.blocks));
  }

 private:
  ChunkCoder& coder_of(std::size_t field) {
    auto coder = coders_.find(field);
    if (coder == coders_.end()) {
      coder = coders_.emplace(field, ChunkCoder(filters_of_field(all_.catalog_, field))).first;
    }
    return coder->second;
  }

  struct ToEncode {
    std::span<const std::byte> bytes;
    std::size_t filters_done = 0;
  };

  // The steps, where they are the whole chunk; else in it, beside what the file has of it.
  ToEncode chunk_of(const ChunkSteps& steps, ChunkCoder& coder) {
    const ArrayEntry& array = array_of(all_.catalog_, steps.field);
    const FieldEntry& field = all_.catalog_.fields.at(steps.field);
    if (bytes_of(steps, array) == array.chunk_bytes() && field.kept_bits == 0) {
      return {steps.steps, steps.shuffled > 0 ? 1U : 0U};
    }
    try {
      whole_ = steps.first > 0 ? read_filtered_chunk(all_.store_, all_.catalog_, steps.field, steps.chunk, coder)
                               : std::vector<std::byte>(array.chunk_bytes());
    } catch (const Error& error) {
      throw Error(error.kind(), all_.catalog_.path,
                  fmt::format("chunk {} of {} {}", steps.chunk, array.path, error.what()));
    }
    const std::uint64_t step_bytes = array.chunk_bytes() / array.chunk[0];
    const std::span<std::byte> to = std::span(whole_).subspan(steps.first * step_bytes, bytes_of(steps, array));
    if (steps.shuffled > 0) {
      const std::uint64_t plane_bytes = array.chunk_bytes() / size_of(field.type);
      from_byte_planes(steps.steps.data(), plane_bytes, size_of(field.type), to);
    } else {
      std::ranges::copy(steps.steps, to.begin());
    }
    // The steps that were there are rounded already, and stay as they are.
    if (field.kept_bits > 0) round_bits(whole_, field.type, field.kept_bits);
    return {whole_};
  }

  FilteredChunks& all_;
  std::uint64_t block_bytes_;
  std::map<std::size_t, ChunkCoder> coders_;  // one a field, and none shared with another thread
  std::vector<std::byte> whole_;
  Window mine_;
};

// Of what encode() makes.
void FilteredChunks::make_room(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return aside_bytes_ == 0 || aside_bytes_ + made_bytes_ + bytes <= most_bytes_; });
  made_bytes_ += bytes;
}

void FilteredChunks::forget_aside() {
  spare_.give(std::move(aside_.blocks));
  aside_ = {};
  const std::scoped_lock lock(mutex_);
  aside_bytes_ = 0;
  changed_.notify_all();
}

void FilteredChunks::pause() { paused_ = true; }

void FilteredChunks::resume() {
  paused_ = false;
  paused_.notify_all();
}

void FilteredChunks::encode(const std::vector<ChunkSteps>& chunks) {
  made_ = {};
  std::uint64_t window_bytes = 0;
  std::uint64_t longest = 0;
  std::uint64_t step_bytes = 0;
  for (const ChunkSteps& chunk : chunks) {
    const ArrayEntry& array = array_of(catalog_, chunk.field);
    const std::uint64_t bytes = array.chunk_bytes();
    step_bytes += bytes_of(chunk, array);
    window_bytes += bytes;
    longest = std::max(longest, bytes);
  }
  {
    const std::scoped_lock lock(mutex_);
    made_bytes_ = 0;
    most_bytes_ = window_bytes;
  }
  const std::uint64_t block_bytes =
      std::max(longest, std::clamp(window_bytes / 8, kLeastPages * page_bytes(), kLargestBlock));
  std::atomic<std::size_t> next{0};
  std::mutex handing_over;
  std::exception_ptr failure;
  const auto work = [&](bool pauses) {
    Worker worker(*this, block_bytes);
    try {
      while (true) {
        if (pauses) paused_.wait(true);
        const std::size_t i = next++;
        if (i >= chunks.size()) break;
        worker.encode(chunks[i]);
      }
      const std::scoped_lock lock(handing_over);
      worker.hand_over(made_);
    } catch (...) {
      const std::scoped_lock lock(handing_over);
      failure = std::current_exception();
      next = chunks.size();
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < std::min<std::size_t>(threads_, chunks.size()); ++t) others.emplace_back(work, false);
  work(true);
  others.clear();  // waits for them
  if (failure) {
    made_ = {};
    std::rethrow_exception(failure);
  }
  std::ranges::sort(made_.chunks, {}, [](const Made& one) { return std::pair(one.field, one.chunk); });
  made_.step_bytes = step_bytes;
  for (const PageBlock& block : made_.blocks) made_.chunk_bytes += block.used();
  made_.bytes = made_.chunk_bytes;
  if (made_.bytes < kWorthPages) return;
  made_.bytes = 0;
  for (PageBlock& block : made_.blocks) {
    block.fill_page();
    made_.bytes += block.used();
  }
}

void FilteredChunks::set_aside() {
  aside_ = std::exchange(made_, {});
  const std::scoped_lock lock(mutex_);
  aside_bytes_ = aside_.bytes;
}

std::vector<WriteRequest> FilteredChunks::place(std::uint64_t at) {
  if (aside_.chunks.empty()) return {};
  placed_at_ = at;
  WriteRequest request{at, aside_.bytes, {}, at + aside_.bytes};
  for (const PageBlock& block : aside_.blocks) request.pieces.emplace_back(block.bytes());
  return {request};
}

void FilteredChunks::write_entries() {
  // What an entry leads away from may count already: a power cut must not leave the new entry without the new chunk.
  if (std::ranges::any_of(aside_.chunks, [](const Made& one) { return one.anew; })) store_.sync();
  std::vector<std::uint64_t> block_at;
  std::uint64_t at = placed_at_;
  for (const PageBlock& block : aside_.blocks) {
    block_at.push_back(at);
    at += block.used();
  }
  std::vector<std::byte> entries;  // that follow each other
  std::uint64_t begin = 0;
  const auto flush = [&] {
    if (!entries.empty()) store_.write_at(begin, Bytes(entries));
    entries.clear();
  };
  const Made* before = nullptr;
  for (const Made& one : aside_.chunks) {
    const ChunkTree tree = tree_of(array_of(catalog_, one.field));
    const std::uint64_t index = catalog_.segments[0].rooms.at(one.field).index;
    const bool follows = before != nullptr && before->field == one.field && before->chunk + 1 == one.chunk &&
                         ChunkTree::leaf_of(one.chunk) == ChunkTree::leaf_of(before->chunk);
    if (!follows) {
      flush();
      begin = tree.entry_at(index, one.chunk);
    }
    const std::vector<std::byte> entry =
        tree.entry(one.chunk, {block_at.at(one.block) + one.at, static_cast<std::uint32_t>(one.bytes), one.skipped});
    entries.insert(entries.end(), entry.begin(), entry.end());
    before = &one;
  }
  flush();
  forget_aside();
}

}  // namespace weft::storage
