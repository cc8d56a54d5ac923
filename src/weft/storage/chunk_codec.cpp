#include "weft/storage/chunk_codec.hpp"

#include <algorithm>
#include <utility>

#include "weft/storage/filter_codec.hpp"

namespace weft::storage {

void register_filters() {
  for (const FilterKind* kind : filter_kinds()) {
    if (kind->teach_hdf5 != nullptr && H5Zfilter_avail(kind->id) <= 0) kind->teach_hdf5();
  }
}

ChunkCoder::ChunkCoder(std::vector<Filter> filters) : filters_(std::move(filters)) {
  if (!coded_here(filters_)) throw Error(ErrorKind::usage, to_text(filters_), "are not filters that Weft codes");
  for (const Filter& filter : filters_) {
    const FilterKind& kind = *filter_kind(filter.id);
    stages_.push_back({kind.make(filter.settings), kind.compresses, kind.adds});
  }
}
ChunkCoder::~ChunkCoder() = default;
ChunkCoder::ChunkCoder(ChunkCoder&&) noexcept = default;
ChunkCoder& ChunkCoder::operator=(ChunkCoder&&) noexcept = default;

ChunkCoder::Encoded ChunkCoder::encode(std::span<const std::byte> chunk) {
  const auto [bytes, skipped] = encode_here(chunk);
  return {{bytes.begin(), bytes.end()}, skipped};
}

ChunkCoder::As<std::span<const std::byte>> ChunkCoder::encode_here(std::span<const std::byte> chunk,
                                                                   std::span<std::byte> memory, std::size_t done) {
  As<std::span<const std::byte>> result;
  std::span<const std::byte> now = chunk;
  for (std::size_t i = done; i < filters_.size(); ++i) {
    stages_[i].codec->offer(i + 1 == filters_.size() ? memory : std::span<std::byte>());
    const std::span<const std::byte> next = stages_[i].codec->encode(now);
    const bool in_vain = stages_[i].compresses && (next.empty() || next.size() >= now.size());
    if (in_vain && (filters_[i].flags & H5Z_FLAG_OPTIONAL) != 0) {
      result.skipped |= 1U << i;
      continue;
    }
    if (next.empty()) {
      throw Error(ErrorKind::data, filters_[i].name, "cannot make a chunk shorter, and is not optional here");
    }
    now = next;
  }
  result.bytes = now;
  return result;
}

void ChunkCoder::decode(std::span<const std::byte> bytes, std::uint32_t skipped, std::span<std::byte> chunk) {
  std::vector<std::size_t> applied;
  std::size_t length = chunk.size();  // of what the next filter that is undone was given, if none before it compressed
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if ((skipped >> i & 1U) != 0) continue;
    applied.push_back(i);
    length += stages_[i].adds;
  }
  std::span<const std::byte> now = bytes;
  for (; !applied.empty(); applied.pop_back()) {
    const Stage& stage = stages_[applied.back()];
    length -= stage.adds;
    const bool last = applied.size() == 1;
    if (!last && now.size() < stage.adds) throw damaged(filters_[applied.back()].name);
    if (last) return stage.codec->decode(now, chunk);
    next_.resize(stage.compresses ? length : now.size() - stage.adds);
    stage.codec->decode(now, next_);
    now_.swap(next_);
    now = now_;
  }
  if (now.size() != chunk.size()) throw damaged("its length");
  std::copy(now.begin(), now.end(), chunk.begin());
}

}  // namespace weft::storage
