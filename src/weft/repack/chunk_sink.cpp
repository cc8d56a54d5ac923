#include "weft/repack/chunk_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/box_copy.hpp"

namespace weft::repack {

using storage::Handle;

void write_part(const storage::ArrayEntry& array, storage::ByteStore& bytes, std::uint64_t chunk_number,
                const Shape& chunk_origin, const Box& part, std::span<const std::byte> chunk) {
  // Axes [axis, rank) of the part are one run of the chunk; those before it are counted.
  const Shape& extents = array.chunk;  // the bytes of an element are the last axis
  Shape start = survey::minus(part.start, chunk_origin);
  Shape count = part.count;
  start.push_back(0);
  count.push_back(extents.back());
  std::size_t axis = count.size();
  std::uint64_t run = 1;
  while (axis > 0) {
    --axis;
    run *= count[axis];
    if (count[axis] != extents[axis]) break;
  }
  const std::uint64_t base = array.addresses.at(chunk_number);
  Shape at(axis, 0);
  while (true) {
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) offset = offset * extents[i] + start[i] + (i < axis ? at[i] : 0);
    bytes.write_at(base + offset, chunk.subspan(offset, run));
    std::size_t i = axis;
    while (i > 0) {
      --i;
      if (++at[i] < count[i]) break;
      at[i] = 0;
      if (i == 0) return;
    }
    if (axis == 0) return;
  }
}

HdfChunks::HdfChunks(hid_t dataset, const survey::DatasetFacts& source, Shape chunk,
                     const std::vector<storage::Filter>& filters)
    : dataset_(dataset),
      source_(source),
      chunk_(std::move(chunk)),
      type_(H5Dget_type(dataset)),
      takes_encoded_(storage::coded_here(filters)) {}

void HdfChunks::write(const ReadyChunk& chunk) {
  const std::vector<hsize_t> offset = storage::to_hsize(chunk.origin);
  const auto where = [&] { return fmt::format("{}, chunk at {}", source_.path, to_string(chunk.origin)); };
  if (takes_encoded_) {
    storage::check_hdf5(
        H5Dwrite_chunk(dataset_, H5P_DEFAULT, chunk.skipped, offset.data(), chunk.bytes.size(), chunk.bytes.data()),
        where(), "cannot be written");
    return;
  }
  Shape count = chunk_;
  for (std::size_t i = 0; i < count.size(); ++i) count[i] = std::min(count[i], source_.shape[i] - chunk.origin[i]);
  const std::vector<hsize_t> extents = storage::to_hsize(count);
  const std::vector<hsize_t> whole = storage::to_hsize(chunk_);
  const std::vector<hsize_t> first(extents.size(), 0);
  const Handle in_file(H5Dget_space(dataset_));
  const Handle in_memory(H5Screate_simple(static_cast<int>(whole.size()), whole.data(), nullptr));
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, offset.data(), nullptr, extents.data(), nullptr);
  H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, first.data(), nullptr, extents.data(), nullptr);
  storage::check_hdf5(H5Dwrite(dataset_, type_, in_memory, in_file, H5P_DEFAULT, chunk.bytes.data()), where(),
                      "cannot be written");
}

}  // namespace weft::repack
