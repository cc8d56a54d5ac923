// HDF5's own shuffle: the first bytes of all elements, then their second ones, and so on.
#include <algorithm>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"
#include "weft/support/byte_planes.hpp"

namespace weft::storage {

namespace {

class Shuffle final : public FilterCodec {
 public:
  explicit Shuffle(std::uint64_t element_bytes) : element_bytes_(element_bytes) {}

  std::span<const std::byte> encode(std::span<const std::byte> from) override {
    const std::span<std::byte> to = room(from.size());
    shuffle(from, element_bytes_, to);
    return to;
  }
  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() != to.size()) throw damaged("shuffle");
    unshuffle(from, element_bytes_, to);
  }

 private:
  std::uint64_t element_bytes_;
};

}  // namespace

// What is left behind the last whole element stays at the end.
void shuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  const std::size_t whole = elements * element_bytes;
  to_byte_planes(from.first(whole), element_bytes, to.data(), elements);
  std::ranges::copy(from.subspan(whole), to.subspan(whole).begin());
}

void unshuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  const std::size_t whole = elements * element_bytes;
  from_byte_planes(from.data(), elements, element_bytes, to.first(whole));
  std::ranges::copy(from.subspan(whole), to.subspan(whole).begin());
}

constinit const FilterKind kShuffle{
    .id = H5Z_FILTER_SHUFFLE,
    .name = "shuffle",
    .settings = [](std::uint64_t element_bytes) { return std::vector{static_cast<unsigned>(element_bytes)}; },
    .make = [](std::span<const unsigned> settings) -> std::unique_ptr<FilterCodec> {
      return std::make_unique<Shuffle>(std::max(1U, setting(settings, 0, 1)));
    }};

}  // namespace weft::storage
