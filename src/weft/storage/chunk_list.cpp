#include "weft/storage/chunk_list.hpp"

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/series_catalog.hpp"

#if !H5_VERSION_GE(1, 12, 3)
#include "weft/storage/chunk_watch.hpp"
#endif

namespace weft::storage {

#if H5_VERSION_GE(1, 12, 3)

namespace {

struct List {
  const Shape& shape;
  const Shape& chunk;
  std::vector<std::uint64_t> addresses;
  std::uint64_t found = 0;
  bool sound = true;  // no chunk twice, none that begins within another

  void add(const hsize_t* offset, std::uint64_t address) {
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (offset[axis] >= shape[axis]) return;  // left from before the dataset was made shorter
      sound = sound && offset[axis] % chunk[axis] == 0;
      number = number * ceil_div(shape[axis], chunk[axis]) + offset[axis] / chunk[axis];
    }
    sound = sound && addresses.at(number) == ChunkAddresses::kNowhere && address != HADDR_UNDEF;
    addresses.at(number) = address;
    ++found;
  }
};

}  // namespace

std::optional<std::vector<std::uint64_t>> chunk_list(hid_t dataset, const Shape& shape, const Shape& chunk,
                                                     std::uint64_t chunks) {
  List list{shape, chunk, std::vector<std::uint64_t>(chunks, ChunkAddresses::kNowhere)};
  // Generic, as the widths of the arguments that are not looked at differ between versions.
  const auto each = [](const hsize_t* offset, auto, haddr_t address, auto, void* data) -> int {
    static_cast<List*>(data)->add(offset, address);
    return H5_ITER_CONT;
  };
  if (H5Dchunk_iter(dataset, H5P_DEFAULT, each, &list) < 0) {
    H5Eclear2(H5E_DEFAULT);
    return std::nullopt;
  }
  if (!list.sound || list.found != chunks) return std::nullopt;
  return std::move(list.addresses);
}

#else

std::optional<std::vector<std::uint64_t>> chunk_list(hid_t dataset, const Shape& shape, const Shape& chunk,
                                                     std::uint64_t chunks) {
  std::optional<ChunkWatch> watch = ChunkWatch::of(dataset);
  if (!watch) return std::nullopt;
  std::vector<std::uint64_t> addresses;
  addresses.reserve(chunks);
  std::vector<hsize_t> element(shape.size(), 0);  // the first of a chunk
  for (std::uint64_t number = 0; number < chunks; ++number) {
    const std::optional<ChunkPlace> place = watch->chunk_at(element);
    if (!place) return std::nullopt;
    addresses.push_back(place->address);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      element[axis] += chunk[axis];
      if (element[axis] < shape[axis]) break;
      element[axis] = 0;
    }
  }
  return addresses;
}

#endif

}  // namespace weft::storage
