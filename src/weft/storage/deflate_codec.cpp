// HDF5's own deflate: a zlib stream a chunk, by libdeflate; at level 1 by ISA-L, which takes a quarter of the time.
//
// ISA-L gives very many bytes one Huffman code. In a shuffled chunk, those of signs and exponents then share it with
// those of noise, and along a row the noise changes, too. So it is made to begin a new block, with a code of its own,
// where the next eighth of the chunk begins, and after 24 KiB at most: chunks are then less than 2 % longer than zlib's
// at level 1, and not up to a fifth (decision 23).
//
// The first bytes are a block of their own, so that the same values always become the same bytes. Where ISA-L 2.30
// searches for matches with AVX2, it enters the third byte of a stream under a hash of the address of its own state,
// and whether that meets the hash of other data is chance. Blocks of up to 16 bytes go another way, without that fault.
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "weft/storage/filter_codec.hpp"
#include "weft/support/wide_code.hpp"

namespace weft::storage {

namespace {

class Deflate : public FilterCodec {
 public:
  explicit Deflate(int level) : level_(level) {}
  ~Deflate() override {
    libdeflate_free_compressor(compressor_);
    libdeflate_free_decompressor(decompressor_);
  }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    if (compressor_ == nullptr) compressor_ = libdeflate_alloc_compressor(level_);
    const std::span<std::byte> to = room(libdeflate_zlib_compress_bound(compressor_, from.size()));
    return to.first(libdeflate_zlib_compress(compressor_, from.data(), from.size(), to.data(), to.size()));
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (decompressor_ == nullptr) decompressor_ = libdeflate_alloc_decompressor();
    if (libdeflate_zlib_decompress(decompressor_, from.data(), from.size(), to.data(), to.size(), nullptr) !=
        LIBDEFLATE_SUCCESS) {
      throw damaged("deflate");
    }
  }

 private:
  int level_;
  libdeflate_compressor* compressor_ = nullptr;
  libdeflate_decompressor* decompressor_ = nullptr;
};

class FastestDeflate final : public Deflate {
 public:
  FastestDeflate() : Deflate(1) {}

  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    const std::span<const std::byte> encoded = in_blocks(from);
    clear_upper_halves();
    return encoded;
  }

 private:
  std::span<const std::byte> in_blocks(std::span<const std::byte> from) {
    constexpr std::size_t kLongest = 24U << 10U;
    constexpr std::size_t kPerBlock = 512;  // which cannot be made shorter
    constexpr std::size_t kFirst = 8;       // of the first block; after 2, ISA-L searches as if nothing went before
    std::size_t blocks = 8;
    while (from.size() / blocks > kLongest) blocks *= 2;
    const std::size_t each = std::max<std::size_t>(1, from.size() / blocks);
    const std::span<std::byte> to = room(from.size() + (blocks + 3) * kPerBlock);
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.level = 2;  // of ISA-L's 0 to 3
    stream.level_buf = memory_.get();
    stream.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    stream.gzip_flag = IGZIP_ZLIB;
    stream.next_in = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(from.data()));  // it only reads
    stream.avail_in = 0;
    stream.next_out = reinterpret_cast<unsigned char*>(to.data());
    stream.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(to.size(), UINT32_MAX));
    const auto end_of_block = [&](std::size_t begin) {
      if (begin == 0) return std::min(from.size(), kFirst);
      const std::size_t end = (begin / each + 1) * each;
      return end + each > from.size() ? from.size() : end;
    };
    for (std::size_t begin = 0; begin < from.size();) {
      const std::size_t end = end_of_block(begin);
      const bool last = end == from.size();
      stream.avail_in = static_cast<std::uint32_t>(end - begin);
      stream.end_of_stream = last ? 1 : 0;
      stream.flush = last ? NO_FLUSH : SYNC_FLUSH;
      if (isal_deflate(&stream) != COMP_OK || stream.avail_in > 0 || stream.avail_out == 0) return {};
      begin = end;
    }
    return to.first(stream.total_out);
  }

  std::unique_ptr<unsigned char[]> memory_ = std::make_unique_for_overwrite<unsigned char[]>(ISAL_DEF_LVL2_DEFAULT);
};

constexpr unsigned kUsual = 6;
constexpr unsigned kMost = 12;  // of libdeflate; HDF5 goes to 9

}  // namespace

constinit const FilterKind kDeflate{.id = H5Z_FILTER_DEFLATE,
                                    .name = "deflate",
                                    .levels = FilterKind::Levels{0, 9, kUsual},
                                    .compresses = true,
                                    .make = [](std::span<const unsigned> settings) -> std::unique_ptr<FilterCodec> {
                                      const unsigned level = std::min(setting(settings, 0, kUsual), kMost);
                                      if (level == 1) return std::make_unique<FastestDeflate>();
                                      return std::make_unique<Deflate>(static_cast<int>(level));
                                    }};

}  // namespace weft::storage
