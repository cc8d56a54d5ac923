#include "weft/storage/chunk_places.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"

namespace weft::storage {

ChunkPlaces::ChunkPlaces(hid_t dataset, std::string path, Shape shape, Shape chunk, std::uint64_t chunk_bytes,
                         bool filtered)
    : path_(std::move(path)), shape_(std::move(shape)), chunk_(std::move(chunk)), chunk_bytes_(chunk_bytes) {
  if (filtered) return;
  std::uint64_t chunks = 1;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) chunks *= ceil_div(shape_[axis], chunk_[axis]);
  first_ = at(dataset, 0).address;
  in_order_ = first_ != HADDR_UNDEF;
  constexpr std::uint64_t kLooks = 16;  // both ends, the second, and some between
  for (std::uint64_t look = 0; in_order_ && look <= kLooks; ++look) {
    const std::uint64_t number = look == 0 ? std::min<std::uint64_t>(1, chunks - 1) : (chunks - 1) * look / kLooks;
    in_order_ = at(dataset, number).address == first_ + number * chunk_bytes_;
  }
  in_order_ = in_order_ && at(dataset, chunks - 1).address == first_ + (chunks - 1) * chunk_bytes_;
}

const ChunkPlace& ChunkPlaces::at(hid_t dataset, std::uint64_t number) {
  const auto [found, added] = known_.try_emplace(number);
  if (added)
    found->second = in_order_ ? ChunkPlace{first_ + number * chunk_bytes_, chunk_bytes_, 0} : ask(dataset, number);
  return found->second;
}

ChunkPlace ChunkPlaces::ask(hid_t dataset, std::uint64_t number) const {
  std::vector<hsize_t> offset(shape_.size());
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    const std::uint64_t count = ceil_div(shape_[axis], chunk_[axis]);
    offset[axis] = number % count * chunk_[axis];
    number /= count;
  }
  unsigned skipped = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  check_hdf5(H5Dget_chunk_info_by_coord(dataset, offset.data(), &skipped, &address, &bytes), path_,
             "cannot say where its chunks lie", ErrorKind::data);
  return {address, bytes, skipped};
}

}  // namespace weft::storage
