#include "kernels/ecg/plain_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::kernels::ecg {

namespace {

using storage::Handle;

// A cache large enough for its chunks gets slots for them all, and no more than the dataset has chunks.
Handle access_with_cache(hid_t dataset, std::uint64_t cache_bytes) {
  Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  const Handle properties(H5Dget_create_plist(dataset));
  if (H5Pget_layout(properties) != H5D_CHUNKED) return access;
  const Handle space(H5Dget_space(dataset));
  const Handle type(H5Dget_type(dataset));
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  std::vector<hsize_t> chunk(shape.size());
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  std::uint64_t chunk_bytes = H5Tget_size(type);
  std::uint64_t chunks = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    chunk_bytes *= chunk[axis];
    chunks *= ceil_div(shape[axis], chunk[axis]);
  }
  const std::uint64_t held = std::min(chunks, cache_bytes / chunk_bytes);
  H5Pset_chunk_cache(access, cache_slots(held), cache_bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  return access;
}

}  // namespace

std::uint64_t cache_slots(std::uint64_t chunks) {
  const auto is_prime = [](std::uint64_t n) {
    for (std::uint64_t d = 3; d * d <= n; d += 2) {
      if (n % d == 0) return false;
    }
    return true;
  };
  std::uint64_t slots = 100 * std::max<std::uint64_t>(1, chunks) + 1;  // odd
  while (!is_prime(slots)) slots += 2;
  return slots;
}

PlainFile::PlainFile(std::string path, std::uint64_t cache_bytes) : path_(std::move(path)), cache_bytes_(cache_bytes) {
  const storage::QuietHdf5 quiet;
  file_ = storage::open_read_only(path_);
  if (!file_.valid()) storage::throw_hdf5_error(ErrorKind::system, path_, "cannot open");
}

PlainFile::Dataset& PlainFile::opened(const std::string& path) {
  const auto known = datasets_.find(path);
  if (known != datasets_.end()) return known->second;
  const auto open = [&](hid_t access) {
    return Handle(storage::check_hdf5(H5Dopen2(file_, path.c_str(), access), path_, "cannot open dataset " + path,
                                      ErrorKind::data));
  };
  // Its chunks have to be known before it is opened with a cache to suit them.
  const Handle access = access_with_cache(open(H5P_DEFAULT), cache_bytes_);
  Dataset dataset;
  dataset.id = open(access);
  dataset.space = Handle(H5Dget_space(dataset.id));
  return datasets_.emplace(path, std::move(dataset)).first->second;
}

void PlainFile::read(const std::string& dataset, const Box& box, DataType type, std::span<std::byte> values) {
  const storage::QuietHdf5 quiet;
  const Dataset& from = opened(dataset);
  const Stopwatch clock;
  const std::vector<hsize_t> start = storage::to_hsize(box.start);
  const std::vector<hsize_t> count = storage::to_hsize(box.count);
  storage::check_hdf5(H5Sselect_hyperslab(from.space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                      path_, "cannot select from " + dataset, ErrorKind::data);
  const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  storage::check_hdf5(H5Dread(from.id, storage::native_type(type), memory, from.space, H5P_DEFAULT, values.data()),
                      path_, "cannot read " + dataset, ErrorKind::data);
  seconds_ += clock.seconds();
  ++reads_;
  bytes_ += values.size();
}

}  // namespace weft::kernels::ecg
