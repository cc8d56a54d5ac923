// HDF5's own fletcher32: a checksum behind the chunk.
#include <algorithm>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"

namespace weft::storage {

namespace {

constexpr std::size_t kSumBytes = 4;

class Fletcher32 final : public FilterCodec {
 public:
  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    const std::span<std::byte> to = room(from.size() + kSumBytes);
    std::copy(from.begin(), from.end(), to.begin());
    const std::uint32_t sum = fletcher32(from);
    for (std::size_t b = 0; b < kSumBytes; ++b) to[from.size() + b] = static_cast<std::byte>(sum >> (8 * b));
    return to;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() != to.size() + kSumBytes) throw damaged("fletcher32");
    std::uint32_t stored = 0;
    for (std::size_t b = 0; b < kSumBytes; ++b) {
      stored |= std::to_integer<std::uint32_t>(from[to.size() + b]) << (8 * b);
    }
    if (stored != fletcher32(from.first(to.size()))) throw damaged("fletcher32");
    std::copy_n(from.begin(), to.size(), to.begin());
  }
};

}  // namespace

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

constinit const FilterKind kFletcher32{
    .id = H5Z_FILTER_FLETCHER32,
    .name = "fletcher32",
    .adds = kSumBytes,
    .optional = false,
    .make = [](std::span<const unsigned>) -> std::unique_ptr<FilterCodec> { return std::make_unique<Fletcher32>(); }};

}  // namespace weft::storage
