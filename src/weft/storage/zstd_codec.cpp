// Zstandard as HDF5's registered filter 32015: one frame a chunk, which says its length.
#include <zstd.h>

#include <algorithm>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"

namespace weft::storage {

namespace {

constexpr unsigned kUsualLevel = 3;

class Zstd final : public FilterCodec {
 public:
  explicit Zstd(int level) : level_(level) {}
  ~Zstd() override {
    ZSTD_freeCCtx(encoder_);
    ZSTD_freeDCtx(decoder_);
  }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    if (encoder_ == nullptr) encoder_ = ZSTD_createCCtx();
    const std::span<std::byte> to = room(ZSTD_compressBound(from.size()));
    const std::size_t length = ZSTD_compressCCtx(encoder_, to.data(), to.size(), from.data(), from.size(), level_);
    if (ZSTD_isError(length) != 0) throw Error(ErrorKind::system, "zstd", ZSTD_getErrorName(length));
    return to.first(length);
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (decoder_ == nullptr) decoder_ = ZSTD_createDCtx();
    if (ZSTD_decompressDCtx(decoder_, to.data(), to.size(), from.data(), from.size()) != to.size()) {
      throw damaged("zstd");
    }
  }

 private:
  int level_;
  ZSTD_CCtx* encoder_ = nullptr;
  ZSTD_DCtx* decoder_ = nullptr;
};

std::size_t zstd_for_hdf5(unsigned flags, std::size_t values, const unsigned settings[], std::size_t bytes,
                          std::size_t* room, void** buffer) {
  const bool reverse = (flags & H5Z_FLAG_REVERSE) != 0;
  std::size_t space = 0;
  if (reverse) {
    const unsigned long long whole = ZSTD_getFrameContentSize(*buffer, bytes);
    if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN || whole >= (1ULL << 32)) return 0;
    space = std::max<std::size_t>(1, whole);
  } else {
    space = ZSTD_compressBound(bytes);
  }
  void* made = H5allocate_memory(space, false);
  if (made == nullptr) return 0;
  const unsigned level = values > 0 ? settings[0] : kUsualLevel;
  const std::size_t length = reverse ? ZSTD_decompress(made, space, *buffer, bytes)
                                     : ZSTD_compress(made, space, *buffer, bytes, static_cast<int>(level));
  return hand_to_hdf5(made, ZSTD_isError(length) != 0 ? 0 : length, space, room, buffer);
}

}  // namespace

constinit const FilterKind kZstd{.id = kZstdFilter,
                                 .name = "zstd",
                                 .levels = FilterKind::Levels{1, 22, kUsualLevel},
                                 .compresses = true,
                                 .make = [](std::span<const unsigned> settings) -> std::unique_ptr<FilterCodec> {
                                   return std::make_unique<Zstd>(static_cast<int>(setting(settings, 0, kUsualLevel)));
                                 },
                                 .teach_hdf5 =
                                     [] {
                                       const H5Z_class2_t zstd{H5Z_CLASS_T_VERS, kZstdFilter, 1,       1,
                                                               "zstd",           nullptr,     nullptr, zstd_for_hdf5};
                                       H5Zregister(&zstd);
                                     }};

}  // namespace weft::storage
