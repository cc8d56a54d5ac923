// lzf as h5py's filter 32000: the bare stream of liblzf.
#include <lzf.h>

#include <algorithm>
#include <array>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"

namespace weft::storage {

namespace {

constexpr unsigned kRevision = 4;         // of h5py's filter, whose chunks these are
constexpr std::size_t kChunkSetting = 2;  // where its settings have the bytes of a chunk

class Lzf final : public FilterCodec {
 public:
  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    const std::span<std::byte> to = room(from.size());
    return to.first(
        lzf_compress(from.data(), static_cast<unsigned>(from.size()), to.data(), static_cast<unsigned>(to.size())));
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.empty()) throw damaged("lzf");  // liblzf takes a first byte for granted
    const unsigned length =
        lzf_decompress(from.data(), static_cast<unsigned>(from.size()), to.data(), static_cast<unsigned>(to.size()));
    if (length != to.size()) throw damaged("lzf");
  }
};

// The stream does not say its length; the third setting does.
std::size_t lzf_for_hdf5(unsigned flags, std::size_t values, const unsigned settings[], std::size_t bytes,
                         std::size_t* room, void** buffer) {
  const bool reverse = (flags & H5Z_FLAG_REVERSE) != 0;
  const std::size_t space = reverse ? (values > kChunkSetting ? settings[kChunkSetting] : 0) : bytes;
  void* made = space > 0 ? H5allocate_memory(space, false) : nullptr;
  if (made == nullptr) return 0;
  const auto take = reverse ? lzf_decompress : lzf_compress;
  const std::size_t length = take(*buffer, static_cast<unsigned>(bytes), made, static_cast<unsigned>(space));
  return hand_to_hdf5(made, length, space, room, buffer);
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
  settings[0] = std::max(settings[0], kRevision);
  settings[1] = std::max(settings[1], static_cast<unsigned>(LZF_VERSION));
  settings[kChunkSetting] = static_cast<unsigned>(bytes);
  return H5Pmodify_filter(properties, kLzfFilter, flags, kChunkSetting + 1, settings.data());
}

}  // namespace

constinit const FilterKind kLzf{
    .id = kLzfFilter,
    .name = "lzf",
    .compresses = true,
    .settings =
        [](std::uint64_t) {
          return std::vector<unsigned>{0, 0, 0};
        },  // note_chunk_bytes() fills them in
    .make = [](std::span<const unsigned>) -> std::unique_ptr<FilterCodec> { return std::make_unique<Lzf>(); },
    .teach_hdf5 =
        [] {
          const H5Z_class2_t lzf{H5Z_CLASS_T_VERS, kLzfFilter, 1, 1, "lzf", nullptr, note_chunk_bytes, lzf_for_hdf5};
          H5Zregister(&lzf);
        }};

}  // namespace weft::storage
