#include "weft/survey/chunk_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/layout/access_cost.hpp"
#include "weft/storage/chunk_places.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/storage/read_executor.hpp"
#include "weft/storage/read_plan.hpp"
#include "weft/support/error.hpp"

namespace weft::survey {

namespace {

using storage::Handle;

// HDF5 1.10 looks through its index from the start for each chunk: so many take it a tenth of a second.
constexpr std::uint64_t kMostListed = 3000;

// A gap shorter than this is read over: a copy of it costs less than another system call.
constexpr double kLatency = 5e-6;
constexpr double kBandwidth = 2e9;

std::uint64_t grid_chunks(const DatasetFacts& facts) {
  std::uint64_t chunks = 1;
  for (std::size_t i = 0; i < facts.shape.size(); ++i) chunks *= ceil_div(facts.shape[i], facts.chunk[i]);
  return chunks;
}

}  // namespace

storage::ArrayEntry array_of_bytes(const std::string& path, const Shape& shape, const Shape& chunk,
                                   std::uint64_t element_bytes, storage::ChunkAddresses addresses) {
  storage::ArrayEntry array;
  array.path = path;
  array.type = DataType::uint8;
  array.shape = shape;
  array.shape.push_back(element_bytes);
  array.chunk = chunk;
  array.chunk.push_back(element_bytes);
  array.addresses = std::move(addresses);
  return array;
}

std::optional<storage::ArrayEntry> array_in_bytes(hid_t dataset, const DatasetFacts& facts) {
  if (facts.storage == StorageKind::contiguous) {
    const haddr_t at = H5Dget_offset(dataset);
    if (at == HADDR_UNDEF) return std::nullopt;
    return array_of_bytes(facts.path, facts.shape, facts.shape, facts.element_bytes,
                          storage::ChunkAddresses::in_a_row(at, facts.logical_bytes()));
  }
  if (facts.storage != StorageKind::chunked || facts.stored_chunks != grid_chunks(facts)) return std::nullopt;
  storage::ChunkAddresses addresses =
      storage::addresses_of_chunks(dataset, facts.shape, facts.chunk, element_count(facts.chunk) * facts.element_bytes);
  if (!addresses.known()) return std::nullopt;
  return array_of_bytes(facts.path, facts.shape, facts.chunk, facts.element_bytes, std::move(addresses));
}

std::optional<std::vector<Shape>> stored_origins(hid_t dataset, const DatasetFacts& facts) {
  if (facts.storage != StorageKind::chunked || facts.stored_chunks == grid_chunks(facts) ||
      facts.stored_chunks > kMostListed) {
    return std::nullopt;
  }
  std::vector<Shape> origins;
  storage::each_stored_chunk(dataset, facts.path, facts.stored_chunks, kMostListed, [&](const Shape& origin, auto&) {
    // A chunk behind the extents is left over from before they were made shorter.
    bool inside = true;
    for (std::size_t i = 0; i < origin.size(); ++i) inside = inside && origin[i] < facts.shape[i];
    if (inside) origins.push_back(origin);
  });
  return origins;
}

void read_box(const storage::ArrayEntry& array, storage::ByteStore& bytes, const Box& box, storage::MutableBytes to) {
  layout::AccessCost access;
  access.latency_s = kLatency;
  access.bandwidth = kBandwidth;
  Box of_bytes = box;
  of_bytes.start.push_back(0);
  of_bytes.count.push_back(array.shape.back());
  storage::execute_read(storage::plan_read(array, of_bytes, access), bytes, access, to, 1);
}

WholeChunks::WholeChunks(hid_t dataset, const DatasetFacts& facts)
    : dataset_(dataset),
      facts_(facts),
      type_(H5Dget_type(dataset)),
      chunk_bytes_(element_count(facts.chunk) * facts.element_bytes) {
  const Handle properties(H5Dget_create_plist(dataset));
  unsigned options = 0;
  // Chunks at the edge may be left unfiltered, and HDF5 does not say so when it hands them over.
  const bool edges_apart =
      H5Pget_chunk_opts(properties, &options) >= 0 && (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  by_hdf5_ = edges_apart || !storage::coded_here(facts.filters);
}

WholeChunks::Stored WholeChunks::fetch(const Shape& origin) {
  const std::vector<hsize_t> offset = storage::to_hsize(origin);
  const auto where = [&] { return fmt::format("{}, chunk at {}", facts_.path, to_string(origin)); };
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(dataset_, offset.data(), &bytes) < 0) {
    // HDF5 says by an error that a chunk was never written; any other one is damage.
    const std::string words = storage::take_hdf5_error();
    if (words != "chunk storage is not allocated") throw Error(ErrorKind::data, where(), "cannot be found: " + words);
    bytes = 0;
  }
  Stored stored;
  if (bytes == 0) return stored;
  if (!by_hdf5_) {
    stored.bytes.resize(bytes);
    storage::check_hdf5(storage::read_chunk(dataset_, offset.data(), stored.skipped, stored.bytes), where(),
                        "cannot be read", ErrorKind::data);
    return stored;
  }
  stored.decoded = true;
  stored.bytes.resize(chunk_bytes_);
  Shape count = facts_.chunk;
  for (std::size_t i = 0; i < count.size(); ++i) count[i] = std::min(count[i], facts_.shape[i] - origin[i]);
  const std::vector<hsize_t> extents = storage::to_hsize(count);
  const std::vector<hsize_t> whole = storage::to_hsize(facts_.chunk);
  const std::vector<hsize_t> first(extents.size(), 0);
  const Handle in_file(H5Dget_space(dataset_));
  const Handle in_memory(H5Screate_simple(static_cast<int>(whole.size()), whole.data(), nullptr));
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, offset.data(), nullptr, extents.data(), nullptr);
  H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, first.data(), nullptr, extents.data(), nullptr);
  storage::check_hdf5(H5Dread(dataset_, type_, in_memory, in_file, H5P_DEFAULT, stored.bytes.data()), where(),
                      "cannot be read", ErrorKind::data);
  return stored;
}

std::uint64_t user_block_of(hid_t object) {
  const Handle file(H5Iget_file_id(object));
  const Handle creation(H5Fget_create_plist(file));
  hsize_t bytes = 0;
  H5Pget_userblock(creation, &bytes);
  return bytes;
}

std::vector<std::byte> fill_value(hid_t dataset) {
  const Handle type(H5Dget_type(dataset));
  std::vector<std::byte> value(H5Tget_size(type));
  const Handle properties(H5Dget_create_plist(dataset));
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  if (H5Pfill_value_defined(properties, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED) {
    storage::check_hdf5(H5Pget_fill_value(properties, type, value.data()), "fill value", "cannot be read",
                        ErrorKind::data);
  }
  return value;
}

}  // namespace weft::survey
