// HDF5's own deflate, by libdeflate: a zlib stream a chunk.
#include <libdeflate.h>

#include <algorithm>

#include "weft/storage/filter_codec.hpp"

namespace weft::storage {

namespace {

class Deflate final : public FilterCodec {
 public:
  explicit Deflate(int level) : level_(level) {}
  ~Deflate() override {
    libdeflate_free_compressor(compressor_);
    libdeflate_free_decompressor(decompressor_);
  }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  std::vector<std::byte> encode(std::span<const std::byte> from) override {
    if (compressor_ == nullptr) compressor_ = libdeflate_alloc_compressor(level_);
    std::vector<std::byte> to(libdeflate_zlib_compress_bound(compressor_, from.size()));
    to.resize(libdeflate_zlib_compress(compressor_, from.data(), from.size(), to.data(), to.size()));
    return to;
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

constexpr unsigned kUsual = 6;
constexpr unsigned kMost = 12;  // of libdeflate; HDF5 goes to 9

}  // namespace

constinit const FilterKind kDeflate{
    .id = H5Z_FILTER_DEFLATE,
    .name = "deflate",
    .levels = FilterKind::Levels{0, 9, kUsual},
    .compresses = true,
    .make = [](std::span<const unsigned> settings) -> std::unique_ptr<FilterCodec> {
      return std::make_unique<Deflate>(static_cast<int>(std::min(setting(settings, 0, kUsual), kMost)));
    }};

}  // namespace weft::storage
