#include "weft/storage/chunk_codec.hpp"

#include <libdeflate.h>
#include <lzf.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

using Buffer = std::vector<std::byte>;

constexpr std::size_t kFletcherBytes = 4;
constexpr unsigned kLzfRevision = 4;         // of h5py's filter, whose chunks these are
constexpr std::size_t kLzfChunkSetting = 2;  // where its settings have the bytes of a chunk

Error damaged(std::string_view filter) {
  return {ErrorKind::data, "", std::string("is damaged: ") + std::string(filter) + " cannot undo it"};
}

int level_of(const Filter& filter, int otherwise) {
  return filter.settings.empty() ? otherwise : static_cast<int>(filter.settings[0]);
}

// HDF5's own signature of a filter, for zstd: one frame that says its length.
std::size_t zstd_for_hdf5(unsigned flags, std::size_t values, const unsigned settings[], std::size_t bytes,
                          std::size_t* room, void** buffer) {
  void* made = nullptr;
  std::size_t length = 0;
  std::size_t space = 0;
  if ((flags & H5Z_FLAG_REVERSE) != 0) {
    const unsigned long long whole = ZSTD_getFrameContentSize(*buffer, bytes);
    if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN || whole >= (1ULL << 32)) return 0;
    space = std::max<std::size_t>(1, whole);
    made = H5allocate_memory(space, false);
    if (made == nullptr) return 0;
    length = ZSTD_decompress(made, space, *buffer, bytes);
  } else {
    space = ZSTD_compressBound(bytes);
    made = H5allocate_memory(space, false);
    if (made == nullptr) return 0;
    length = ZSTD_compress(made, space, *buffer, bytes, values > 0 ? static_cast<int>(settings[0]) : 3);
  }
  if (ZSTD_isError(length) != 0) {
    H5free_memory(made);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = made;
  *room = space;
  return length;
}

// And lzf's. The stream does not say its length; the third setting does.
std::size_t lzf_for_hdf5(unsigned flags, std::size_t values, const unsigned settings[], std::size_t bytes,
                         std::size_t* room, void** buffer) {
  const bool reverse = (flags & H5Z_FLAG_REVERSE) != 0;
  const std::size_t space = reverse ? (values > kLzfChunkSetting ? settings[kLzfChunkSetting] : 0) : bytes;
  void* made = space > 0 ? H5allocate_memory(space, false) : nullptr;
  if (made == nullptr) return 0;
  const auto take = reverse ? lzf_decompress : lzf_compress;
  const std::size_t length = take(*buffer, static_cast<unsigned>(bytes), made, static_cast<unsigned>(space));
  if (length == 0) {
    H5free_memory(made);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = made;
  *room = space;
  return length;
}

// Where a dataset is created its filter notes the bytes of a chunk.
herr_t note_chunk_bytes(hid_t properties, hid_t type, hid_t) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int axes = H5Pget_chunk(properties, H5S_MAX_RANK, extents.data());
  std::uint64_t bytes = H5Tget_size(type);
  for (int axis = 0; axis < axes; ++axis) bytes *= extents.at(static_cast<std::size_t>(axis));
  if (axes < 1 || bytes >= 1ULL << 32) return -1;
  unsigned flags = 0;
  std::array<unsigned, 8> settings{};
  std::size_t used = settings.size();
  if (H5Pget_filter_by_id2(properties, kLzfFilter, &flags, &used, settings.data(), 0, nullptr, nullptr) < 0) return -1;
  settings[0] = std::max(settings[0], kLzfRevision);
  settings[1] = std::max(settings[1], static_cast<unsigned>(LZF_VERSION));
  settings[kLzfChunkSetting] = static_cast<unsigned>(bytes);
  return H5Pmodify_filter(properties, kLzfFilter, flags, kLzfChunkSetting + 1, settings.data());
}

}  // namespace

void register_filters() {
  if (H5Zfilter_avail(kZstdFilter) <= 0) {
    const H5Z_class2_t zstd{H5Z_CLASS_T_VERS, kZstdFilter, 1, 1, "zstd", nullptr, nullptr, zstd_for_hdf5};
    H5Zregister(&zstd);
  }
  if (H5Zfilter_avail(kLzfFilter) <= 0) {
    const H5Z_class2_t lzf{H5Z_CLASS_T_VERS, kLzfFilter, 1, 1, "lzf", nullptr, note_chunk_bytes, lzf_for_hdf5};
    H5Zregister(&lzf);
  }
}

// HDF5's variant (H5checksum.c): words of two bytes, high byte first; an odd byte at the end is a high one.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t kWordsBetweenFolds = 360;  // the sums stay below 2^32 for so many
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  const auto fold = [&] {
    first = (first & 0xffff) + (first >> 16);
    second = (second & 0xffff) + (second >> 16);
  };
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t words = bytes.size() / 2;
  while (words > 0) {
    const std::size_t now = std::min(words, kWordsBetweenFolds);
    for (std::size_t i = 0; i < now; ++i, at += 2) {
      first += static_cast<std::uint32_t>(at[0]) << 8 | at[1];
      second += first;
    }
    fold();
    words -= now;
  }
  if (bytes.size() % 2 != 0) {
    first += static_cast<std::uint32_t>(*at) << 8;
    second += first;
    fold();
  }
  fold();
  return second << 16 | first;
}

// Byte b of element e goes to place b * elements + e; what is left of the last element stays at the end.
void shuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    std::byte* row = to.data() + b * elements;
    const std::byte* column = from.data() + b;
    for (std::size_t e = 0; e < elements; ++e) row[e] = column[e * element_bytes];
  }
  const std::size_t whole = elements * element_bytes;
  std::copy(from.begin() + static_cast<long>(whole), from.end(), to.begin() + static_cast<long>(whole));
}

void unshuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    const std::byte* row = from.data() + b * elements;
    std::byte* column = to.data() + b;
    for (std::size_t e = 0; e < elements; ++e) column[e * element_bytes] = row[e];
  }
  const std::size_t whole = elements * element_bytes;
  std::copy(from.begin() + static_cast<long>(whole), from.end(), to.begin() + static_cast<long>(whole));
}

namespace {

// Empty where it would not be shorter.
Buffer lzf(std::span<const std::byte> from) {
  Buffer to(from.size());
  to.resize(lzf_compress(from.data(), static_cast<unsigned>(from.size()), to.data(), static_cast<unsigned>(to.size())));
  return to;
}

void unlzf(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.empty()) throw damaged("lzf");  // liblzf takes a first byte for granted
  const unsigned length =
      lzf_decompress(from.data(), static_cast<unsigned>(from.size()), to.data(), static_cast<unsigned>(to.size()));
  if (length != to.size()) throw damaged("lzf");
}

}  // namespace

// What the compressing libraries keep between calls.
class ChunkCoder::Libraries {
 public:
  ~Libraries() {
    for (libdeflate_compressor* compressor : compressors_) libdeflate_free_compressor(compressor);
    libdeflate_free_decompressor(decompressor_);
    ZSTD_freeCCtx(zstd_);
    ZSTD_freeDCtx(unzstd_);
  }
  Libraries() = default;
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  Buffer deflate(std::span<const std::byte> from, int level) {
    libdeflate_compressor*& compressor = compressors_.at(static_cast<std::size_t>(level));
    if (compressor == nullptr) compressor = libdeflate_alloc_compressor(level);
    Buffer to(libdeflate_zlib_compress_bound(compressor, from.size()));
    to.resize(libdeflate_zlib_compress(compressor, from.data(), from.size(), to.data(), to.size()));
    return to;
  }
  void inflate(std::span<const std::byte> from, std::span<std::byte> to) {
    if (decompressor_ == nullptr) decompressor_ = libdeflate_alloc_decompressor();
    if (libdeflate_zlib_decompress(decompressor_, from.data(), from.size(), to.data(), to.size(), nullptr) !=
        LIBDEFLATE_SUCCESS) {
      throw damaged("deflate");
    }
  }
  Buffer zstd(std::span<const std::byte> from, int level) {
    if (zstd_ == nullptr) zstd_ = ZSTD_createCCtx();
    Buffer to(ZSTD_compressBound(from.size()));
    to.resize(ZSTD_compressCCtx(zstd_, to.data(), to.size(), from.data(), from.size(), level));
    return to;
  }
  void unzstd(std::span<const std::byte> from, std::span<std::byte> to) {
    if (unzstd_ == nullptr) unzstd_ = ZSTD_createDCtx();
    if (ZSTD_decompressDCtx(unzstd_, to.data(), to.size(), from.data(), from.size()) != to.size()) {
      throw damaged("zstd");
    }
  }

 private:
  std::array<libdeflate_compressor*, 13> compressors_{};
  libdeflate_decompressor* decompressor_ = nullptr;
  ZSTD_CCtx* zstd_ = nullptr;
  ZSTD_DCtx* unzstd_ = nullptr;
};

ChunkCoder::ChunkCoder(std::vector<Filter> filters)
    : filters_(std::move(filters)), libraries_(std::make_unique<Libraries>()) {
  if (!coded_here(filters_)) throw Error(ErrorKind::usage, to_text(filters_), "are not filters that Weft codes");
}
ChunkCoder::~ChunkCoder() = default;
ChunkCoder::ChunkCoder(ChunkCoder&&) noexcept = default;
ChunkCoder& ChunkCoder::operator=(ChunkCoder&&) noexcept = default;

ChunkCoder::Encoded ChunkCoder::encode(std::span<const std::byte> chunk) {
  Encoded result;
  Buffer held;  // what `now` sees, after the first filter
  std::span<const std::byte> now = chunk;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const Filter& filter = filters_[i];
    Buffer next;
    if (filter.id == H5Z_FILTER_DEFLATE) {
      next = libraries_->deflate(now, level_of(filter, 6));
    } else if (filter.id == kZstdFilter) {
      next = libraries_->zstd(now, level_of(filter, 3));
    } else if (filter.id == kLzfFilter) {
      next = lzf(now);
    } else if (filter.id == H5Z_FILTER_SHUFFLE) {
      next.resize(now.size());
      shuffle(now, static_cast<std::uint64_t>(std::max(1, level_of(filter, 1))), next);
    } else {
      next.assign(now.begin(), now.end());
      const std::uint32_t sum = fletcher32(now);
      for (std::size_t b = 0; b < kFletcherBytes; ++b) next.push_back(static_cast<std::byte>(sum >> (8 * b)));
    }
    const bool in_vain = compresses(filter) && (next.empty() || next.size() >= now.size());
    if (in_vain && (filter.flags & H5Z_FLAG_OPTIONAL) != 0) {
      result.skipped |= 1U << i;
      continue;
    }
    if (next.empty())
      throw Error(ErrorKind::data, filter.name, "cannot make a chunk shorter, and is not optional here");
    held = std::move(next);
    now = held;
  }
  result.bytes = held.empty() ? Buffer(now.begin(), now.end()) : std::move(held);
  return result;
}

void ChunkCoder::decode(std::span<const std::byte> bytes, std::uint32_t skipped, std::span<std::byte> chunk) {
  std::vector<std::size_t> applied;
  for (std::size_t i = filters_.size(); i-- > 0;) {
    if ((skipped >> i & 1U) == 0) applied.push_back(i);
  }
  Buffer held;
  std::span<const std::byte> now = bytes;
  for (std::size_t n = 0; n < applied.size(); ++n) {
    const Filter& filter = filters_[applied[n]];
    if (filter.id == H5Z_FILTER_FLETCHER32) {
      if (now.size() < kFletcherBytes) throw damaged("fletcher32");
      const auto tail = now.last(kFletcherBytes);
      now = now.first(now.size() - kFletcherBytes);
      std::uint32_t stored = 0;
      for (std::size_t b = 0; b < kFletcherBytes; ++b) stored |= std::to_integer<std::uint32_t>(tail[b]) << (8 * b);
      if (stored != fletcher32(now)) throw damaged("fletcher32");
      continue;
    }
    // Of what remains to be undone, only checksums change the length.
    std::size_t length = chunk.size();
    for (std::size_t later = n + 1; later < applied.size(); ++later) {
      if (filters_[applied[later]].id == H5Z_FILTER_FLETCHER32) length += kFletcherBytes;
    }
    const bool last = n + 1 == applied.size();
    if (filter.id == H5Z_FILTER_SHUFFLE) length = now.size();
    Buffer next(last ? 0 : length);
    const std::span<std::byte> to = last ? chunk : std::span<std::byte>(next);
    if (filter.id == H5Z_FILTER_DEFLATE) {
      libraries_->inflate(now, to);
    } else if (filter.id == kZstdFilter) {
      libraries_->unzstd(now, to);
    } else if (filter.id == kLzfFilter) {
      unlzf(now, to);
    } else {
      if (now.size() != to.size()) throw damaged("shuffle");
      unshuffle(now, static_cast<std::uint64_t>(std::max(1, level_of(filter, 1))), to);
    }
    if (last) return;
    held = std::move(next);
    now = held;
  }
  if (now.size() != chunk.size()) throw damaged("its length");
  std::copy(now.begin(), now.end(), chunk.begin());
}

}  // namespace weft::storage
