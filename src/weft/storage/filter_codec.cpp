#include "weft/storage/filter_codec.hpp"

#include <algorithm>
#include <array>

namespace weft::storage {

std::span<const FilterKind* const> filter_kinds() {
  static constexpr std::array kKinds{&kDeflate, &kZstd, &kLzf, &kShuffle, &kFletcher32};
  return kKinds;
}

const FilterKind* filter_kind(int id) {
  const auto kinds = filter_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const FilterKind* kind) { return kind->id == id; });
  return found == kinds.end() ? nullptr : *found;
}

std::size_t hand_to_hdf5(void* made, std::size_t length, std::size_t space, std::size_t* room, void** buffer) {
  if (length == 0) {
    H5free_memory(made);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = made;
  *room = space;
  return length;
}

}  // namespace weft::storage
