#include "weft/storage/chunk_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "weft/storage/chunk_list.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_versions.hpp"

namespace weft::storage {

namespace {

std::uint64_t file_bytes(hid_t dataset) {
  const Handle file(H5Iget_file_id(dataset));
  hsize_t bytes = 0;
  H5Fget_filesize(file, &bytes);
  return bytes;
}

bool has_user_block(hid_t dataset) {
  const Handle file(H5Iget_file_id(dataset));
  const Handle creation(H5Fget_create_plist(file));
  hsize_t bytes = 0;
  return H5Pget_userblock(creation, &bytes) < 0 || bytes > 0;
}

// The chunks that cover these extents; nothing where they are more than can be counted.
std::optional<std::uint64_t> grid_chunks(const Shape& shape, const Shape& chunk) {
  std::uint64_t chunks = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (chunk[axis] == 0 || __builtin_mul_overflow(chunks, ceil_div(shape[axis], chunk[axis]), &chunks)) {
      return std::nullopt;
    }
  }
  return chunks;
}

struct Extents {
  Shape now;
  Shape greatest;  // what it may grow to; of an axis without a limit: what it has
};

Extents extents_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> now(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  std::vector<hsize_t> most(now.size());
  H5Sget_simple_extent_dims(space, now.data(), most.data());
  for (std::size_t axis = 0; axis < now.size(); ++axis) {
    if (most[axis] == H5S_UNLIMITED) most[axis] = now[axis];
  }
  return {{now.begin(), now.end()}, {most.begin(), most.end()}};
}

std::optional<H5D_chunk_index_t> index_of(hid_t dataset) {
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  if (H5Dget_chunk_index_type(dataset, &index) >= 0) return index;
  H5Eclear2(H5E_DEFAULT);
  return std::nullopt;
}

std::optional<ChunkPlace> place_of(hid_t dataset, const std::vector<hsize_t>& offset) {
  unsigned skipped = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  if (H5Dget_chunk_info_by_coord(dataset, offset.data(), &skipped, &address, &bytes) < 0) return std::nullopt;
  return ChunkPlace{address, bytes, skipped};
}

// HADDR_UNDEF where HDF5 cannot tell, either.
std::uint64_t first_address(hid_t dataset, std::size_t axes) {
  const std::optional<ChunkPlace> first = place_of(dataset, std::vector<hsize_t>(axes, 0));
  if (!first) H5Eclear2(H5E_DEFAULT);
  return first ? first->address : HADDR_UNDEF;
}

// What an index takes in the file: 0 where no chunk was ever written, and there is none yet.
std::uint64_t index_bytes(hid_t dataset) {
  ObjectMetadata metadata;
  return object_metadata(dataset, ".", metadata) < 0 ? 0 : metadata.object.index_size;
}

// Implicit indexes and single chunks number the chunks of the greatest extents row-major. That is the grid of the
// present ones where no axis but the first has fewer chunks than it may come to have.
bool numbered_as_now(const Shape& now, const Shape& most, const Shape& chunk) {
  for (std::size_t axis = 1; axis < now.size(); ++axis) {
    if (ceil_div(now[axis], chunk[axis]) != ceil_div(most[axis], chunk[axis])) return false;
  }
  return true;
}

}  // namespace

ChunkAddresses addresses_of_chunks(hid_t dataset, const Shape& shape, const Shape& chunk, std::uint64_t chunk_bytes) {
  const Handle properties(H5Dget_create_plist(dataset));
  const std::optional<std::uint64_t> chunks = grid_chunks(shape, chunk);
  const std::optional<H5D_chunk_index_t> index = index_of(dataset);
  const std::uint64_t room = file_bytes(dataset);
  if (H5Pget_nfilters(properties) != 0 || has_user_block(dataset) || !index || !chunks || *chunks == 0 ||
      chunk_bytes == 0 || *chunks > room / chunk_bytes) {
    return {};
  }
  const bool arithmetic = *index == H5D_CHUNK_IDX_SINGLE || *index == H5D_CHUNK_IDX_NONE;
  if (arithmetic && numbered_as_now(shape, extents_of(dataset).greatest, chunk)) {
    const std::uint64_t first = first_address(dataset, shape.size());
    if (first == HADDR_UNDEF || first > room - *chunks * chunk_bytes) return {};
    return ChunkAddresses::in_a_row(first, chunk_bytes);
  }
  std::optional<std::vector<std::uint64_t>> addresses = chunk_list(dataset, shape, chunk, *chunks);
  if (!addresses) return {};
  bool in_a_row = true;
  for (std::uint64_t n = 0; n < *chunks; ++n) {
    const std::uint64_t at = (*addresses)[n];
    if (at > room - chunk_bytes) return {};
    in_a_row = in_a_row && at == addresses->front() + n * chunk_bytes;
  }
  if (in_a_row) return ChunkAddresses::in_a_row(addresses->front(), chunk_bytes);
  return ChunkAddresses::listed(std::move(*addresses));
}

StoredChunks stored_chunks(hid_t dataset, const std::string& path, const Shape& chunk, std::uint64_t chunk_bytes) {
  const std::optional<H5D_chunk_index_t> index = index_of(dataset);
  if (index == H5D_CHUNK_IDX_NONE || index == H5D_CHUNK_IDX_FARRAY) {
    // Both have something in the file for every chunk that there may ever be: the chunk itself, or its address. HDF5
    // counts them one by one.
    const bool implicit = index == H5D_CHUNK_IDX_NONE;
    const bool made = implicit ? first_address(dataset, chunk.size()) != HADDR_UNDEF : index_bytes(dataset) > 0;
    if (!made) return {};
    constexpr std::uint64_t kLeastAddress = 2;
    const Extents extents = extents_of(dataset);
    const std::optional<std::uint64_t> chunks = grid_chunks(extents.greatest, chunk);
    const std::uint64_t room = file_bytes(dataset);
    if (!chunks || *chunks > room / (implicit ? std::max<std::uint64_t>(1, chunk_bytes) : kLeastAddress)) {
      throw Error(ErrorKind::data, path,
                  fmt::format("says that it has {} chunks, in a file of {} bytes",
                              chunks ? fmt::format("{}", *chunks) : "more than 2^64", room),
                  "the file is damaged: copy it again");
    }
    if (implicit) return {grid_chunks(extents.now, chunk).value_or(0), *chunks * chunk_bytes};
  }
  const Handle space(H5Dget_space(dataset));
  hsize_t chunks = 0;
  check_hdf5(H5Dget_num_chunks(dataset, space, &chunks), path, "its chunks cannot be counted", ErrorKind::data);
  const Handle properties(H5Dget_create_plist(dataset));
  return {chunks, H5Pget_nfilters(properties) == 0 ? chunks * chunk_bytes : H5Dget_storage_size(dataset)};
}

#if H5_VERSION_GE(1, 12, 3)

bool each_stored_chunk(hid_t dataset, const std::string& path, std::uint64_t /*stored*/, std::uint64_t /*most_looks*/,
                       const std::function<void(const Shape& origin, const ChunkPlace& place)>& visit) {
  struct Call {
    std::size_t axes;
    const std::function<void(const Shape& origin, const ChunkPlace& place)>& visit;
    std::optional<Error> error{};
  };
  const Handle space(H5Dget_space(dataset));
  Call call{static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))), visit};
  // Generic, as the widths of some arguments differ between versions. Nothing may be thrown through HDF5.
  const auto each = [](const hsize_t* offset, auto skipped, haddr_t address, auto bytes, void* data) -> int {
    Call& told = *static_cast<Call*>(data);
    try {
      told.visit(Shape(offset, offset + told.axes), {address, bytes, static_cast<std::uint32_t>(skipped)});
    } catch (const Error& error) {
      told.error = error;
      return H5_ITER_ERROR;
    }
    return H5_ITER_CONT;
  };
  const herr_t told = H5Dchunk_iter(dataset, H5P_DEFAULT, each, &call);
  if (call.error) {
    H5Eclear2(H5E_DEFAULT);
    throw *call.error;
  }
  check_hdf5(told, path, "its chunks cannot be listed", ErrorKind::data);
  return true;
}

#else

namespace {

// Where all chunks lie that there are, if all lie within the extents, and what each begins with.
std::optional<std::vector<std::pair<Shape, ChunkPlace>>> watched_chunks(hid_t dataset, std::uint64_t stored) {
  constexpr std::uint64_t kWorthTrying = 64;  // of a grid of which few chunks are there, a look for each is too many
  const Shape shape = extents_of(dataset).now;
  const Handle properties(H5Dget_create_plist(dataset));
  std::vector<hsize_t> chunk(shape.size(), 0);
  if (H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()) < 0) return std::nullopt;
  const std::optional<std::uint64_t> grid = grid_chunks(shape, Shape(chunk.begin(), chunk.end()));
  if (!grid || *grid / kWorthTrying > stored) return std::nullopt;
  std::optional<ChunkWatch> watch = ChunkWatch::of(dataset);
  if (!watch) return std::nullopt;
  std::vector<std::pair<Shape, ChunkPlace>> found;
  std::vector<hsize_t> origin(shape.size(), 0);
  for (std::uint64_t number = 0; number < *grid && found.size() < stored; ++number) {
    if (const auto place = watch->chunk_at(origin)) found.emplace_back(Shape(origin.begin(), origin.end()), *place);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      origin[axis] += chunk[axis];
      if (origin[axis] < shape[axis]) break;
      origin[axis] = 0;
    }
  }
  if (found.size() != stored) return std::nullopt;
  return found;
}

}  // namespace

bool each_stored_chunk(hid_t dataset, const std::string& path, std::uint64_t stored, std::uint64_t most_looks,
                       const std::function<void(const Shape& origin, const ChunkPlace& place)>& visit) {
  if (const auto found = watched_chunks(dataset, stored)) {
    for (const auto& [origin, place] : *found) visit(origin, place);
    return true;
  }
  if (stored > most_looks) return false;
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> offset(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  for (hsize_t number = 0; number < stored; ++number) {
    unsigned skipped = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    check_hdf5(H5Dget_chunk_info(dataset, space, number, offset.data(), &skipped, &address, &bytes), path,
               "its chunks cannot be listed", ErrorKind::data);
    visit(Shape(offset.begin(), offset.end()), {address, bytes, skipped});
  }
  return true;
}

#endif

ChunkPlaces::ChunkPlaces(hid_t dataset, std::string path, Shape shape, Shape chunk, std::uint64_t chunk_bytes)
    : path_(std::move(path)),
      shape_(std::move(shape)),
      chunk_(std::move(chunk)),
      chunk_bytes_(chunk_bytes),
      all_(addresses_of_chunks(dataset, shape_, chunk_, chunk_bytes_)) {
  constexpr std::uint64_t kWorthWatching = 256;
  if (!all_.known() && grid_chunks(shape_, chunk_).value_or(0) > kWorthWatching) watch_ = ChunkWatch::of(dataset);
}

const ChunkPlace& ChunkPlaces::at(hid_t dataset, std::uint64_t number) {
  if (const auto found = known_.find(number); found != known_.end()) return found->second;
  const ChunkPlace place = all_.known() ? ChunkPlace{all_.at(number), chunk_bytes_, 0} : ask(dataset, number);
  return known_[number] = place;
}

void ChunkPlaces::list(hid_t dataset) {
  const std::uint64_t stored = stored_chunks(dataset, path_, chunk_, chunk_bytes_).count;
  listed_ = each_stored_chunk(dataset, path_, stored, 0, [&](const Shape& origin, const ChunkPlace& place) {
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (origin[axis] >= shape_[axis]) return;  // left from before the dataset was made shorter
      number = number * ceil_div(shape_[axis], chunk_[axis]) + origin[axis] / chunk_[axis];
    }
    known_.try_emplace(number, place);
  });
}

ChunkPlace ChunkPlaces::ask(hid_t dataset, std::uint64_t number) {
  constexpr unsigned kManyWalks = 64;
  if (listed_) return {};
  const std::uint64_t asked_for = number;
  std::vector<hsize_t> offset(shape_.size());
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    const std::uint64_t count = ceil_div(shape_[axis], chunk_[axis]);
    offset[axis] = number % count * chunk_[axis];
    number /= count;
  }
  if (const auto seen = watch_ ? watch_->chunk_at(offset) : std::nullopt) return *seen;
  if (++walks_ == kManyWalks) {
    list(dataset);
    if (const auto found = known_.find(asked_for); found != known_.end()) return found->second;
    if (listed_) return {};
  }
  const std::optional<ChunkPlace> place = place_of(dataset, offset);
  if (!place) {
    throw Error(ErrorKind::data, path_, "cannot say where its chunks lie: " + take_hdf5_error());
  }
  return *place;
}

}  // namespace weft::storage
