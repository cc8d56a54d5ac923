#include "weft/survey/dataset_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "weft/storage/chunk_places.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/support/amount.hpp"
#include "weft/survey/box_copy.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/places.hpp"

namespace weft::survey {

namespace {

using storage::check_hdf5;
using storage::Handle;

// Of `path`, whatever place the error had.
Error at(const std::string& path, const Error& error) {
  const std::string what = error.what();
  return {error.kind(), what.starts_with(path) ? "" : path, what};
}

}  // namespace

DatasetReader::DatasetReader(hid_t file, const std::string& path, hid_t memory_type, const ReadLimits& limits)
    : memory_type_(memory_type),
      on_request_(limits.on_request),
      kept_(limits.kept),
      hdf5_lock_(limits.hdf5_lock),
      bytes_(limits.bytes) {
  storage::register_filters();
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  constexpr std::size_t kSlots = 12421;  // a prime, many times the chunks a cache of this size holds
  constexpr double kReadOnce = 1.0;      // chunks that were read whole go first
  H5Pset_chunk_cache(access, kSlots, limits.cache_bytes, kReadOnce);
  dataset_ = Handle(check_hdf5(H5Dopen2(file, path.c_str(), access), path, "cannot be opened", ErrorKind::data));
  properties_ = Handle(check_hdf5(H5Dget_create_plist(dataset_), path, "has no properties", ErrorKind::data));
  described_ = description_of(dataset_, path);
  shape_ = described_.scalar ? Shape{1} : described_.shape;
  chunk_ = described_.chunk.empty() ? shape_ : described_.chunk;
  element_bytes_ = H5Tget_size(memory_type);
  hsize_t size = 0;
  H5Fget_filesize(file, &size);
  file_bytes_ = size;
  if (described_.storage != StorageKind::chunked) return;

  chunk_bytes_ = element_count(chunk_) * described_.element_bytes;
  if (const storage::Filter* filter = storage::first_unknown(described_.filters)) {
    throw Error(ErrorKind::data, path, fmt::format("is filtered by {}, which cannot be decoded here", filter->name),
                "install its HDF5 plugin and set HDF5_PLUGIN_PATH");
  }
  whole_chunks_ = !described_.filters.empty() || chunk_bytes_ <= limits.cache_bytes;
  const Handle type(H5Dget_type(dataset_));
  decodes_ = !described_.filters.empty() && storage::coded_here(described_.filters) && H5Tequal(type, memory_type) > 0;
  if (described_.filters.empty()) return;
  // What waits encoded is as large as what it decodes to, if the worst comes to the worst.
  constexpr std::uint64_t kCopies = 3;
  if (chunk_bytes_ > limits.chunk_bytes) {
    throw Error(ErrorKind::usage, path,
                fmt::format("has filtered chunks of {}, each read whole", format_bytes(chunk_bytes_)),
                fmt::format("give at least --budget {}", format_bytes(8 * chunk_bytes_)));
  }
  if (!decodes_) return;
  const std::uint64_t fitting = std::max<std::uint64_t>(1, limits.chunk_bytes / (kCopies * chunk_bytes_));
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  decoders_ = std::make_unique<ChunkDecoders>(described_.filters, chunk_bytes_,
                                              static_cast<unsigned>(std::min<std::uint64_t>(threads, fitting)));
  // Versions of HDF5 differ in whether addresses count a user block.
  if (bytes_ && user_block_of(dataset_) == 0) {
    places_ = std::make_shared<storage::ChunkPlaces>(dataset_, path, shape_, chunk_, chunk_bytes_);
  }
}

std::unique_lock<std::recursive_mutex> DatasetReader::hdf5() const {
  return hdf5_lock_ != nullptr ? std::unique_lock(*hdf5_lock_) : std::unique_lock<std::recursive_mutex>();
}

void DatasetReader::read(const Box& box, std::span<std::byte> values) {
  const Part part{box, values};
  read(std::span(&part, 1));
}

void DatasetReader::read(std::span<const Part> parts) {
  for (const auto& [box, values] : parts) {
    if (element_count(box.count) * element_bytes_ == values.size()) continue;
    throw Error(ErrorKind::usage, described_.path,
                fmt::format("{} bytes for a box of {}", values.size(), to_string(box.count)));
  }
  if (decodes_) return read_by_chunks(parts);
  for (const auto& [box, values] : parts) {
    if (!values.empty()) read_by_hdf5(box, values);
  }
}

void DatasetReader::read_by_hdf5(const Box& box, std::span<std::byte> values) {
  if (on_request_) on_request_(values.size());
  const std::unique_lock lock = hdf5();
  const storage::QuietHdf5 quiet;
  const Handle space(check_hdf5(H5Dget_space(dataset_), described_.path, "has no extents", ErrorKind::data));
  const Handle memory = storage::simple_space(box.count);
  if (!described_.scalar) {
    check_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, storage::to_hsize(box.start).data(), nullptr,
                                   storage::to_hsize(box.count).data(), nullptr),
               described_.path, "cannot select a box", ErrorKind::data);
  }
  check_hdf5(H5Dread(dataset_, memory_type_, memory, space, H5P_DEFAULT, values.data()), described_.path,
             fmt::format("cannot be read from {} on", index_text(box.start)), ErrorKind::data);
}

std::vector<std::byte> DatasetReader::encoded_chunk(std::uint64_t number, std::uint32_t& skipped) {
  if (!places_) return chunk_from_hdf5(Pieces(shape_, chunk_).box(number), skipped);
  storage::ChunkPlace place;
  {
    const std::unique_lock lock = hdf5();
    const storage::QuietHdf5 quiet;
    place = places_->at(dataset_, number);
  }
  if (place.address == HADDR_UNDEF || place.bytes == 0) return {};
  if (place.bytes > file_bytes_) throw Error(ErrorKind::data, described_.path, "a chunk is longer than the file");
  if (place.address > std::max(file_bytes_, bytes_->size())) {
    throw Error(ErrorKind::data, described_.path, "a chunk lies behind the end of the file");
  }
  if (on_request_) on_request_(place.bytes);
  skipped = place.skipped;
  std::vector<std::byte> encoded(place.bytes);
  bytes_->read_at(place.address, storage::MutableBytes(encoded));
  return encoded;
}

std::vector<std::byte> DatasetReader::chunk_from_hdf5(const Box& where, std::uint32_t& skipped) {
  const std::unique_lock lock = hdf5();
  const storage::QuietHdf5 quiet;
  const std::vector<hsize_t> start = storage::to_hsize(where.start);
  hsize_t size = 0;
  const herr_t found = H5Dget_chunk_storage_size(dataset_, start.data(), &size);
  if (found < 0) {
    const std::string words = storage::take_hdf5_error();
    // HDF5 1.10 calls it an error that nothing was ever written there.
    if (words.find("not allocated") != std::string::npos) return {};
    throw Error(ErrorKind::data, described_.path, "a chunk is not found: " + words);
  }
  if (size == 0) return {};
  if (size > file_bytes_) throw Error(ErrorKind::data, described_.path, "a chunk is longer than the file");
  if (on_request_) on_request_(size);
  std::vector<std::byte> encoded(size);
  check_hdf5(storage::read_chunk(dataset_, start.data(), skipped, encoded), described_.path, "a chunk cannot be read",
             ErrorKind::data);
  return encoded;
}

std::vector<std::byte> DatasetReader::fill_value() const {
  const std::unique_lock lock = hdf5();
  std::vector<std::byte> value(element_bytes_);
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  H5Pfill_value_defined(properties_, &defined);
  if (defined == H5D_FILL_VALUE_UNDEFINED) return value;
  check_hdf5(H5Pget_fill_value(properties_, memory_type_, value.data()), described_.path, "has no fill value",
             ErrorKind::data);
  return value;
}

std::vector<std::byte> DatasetReader::unwritten_chunk() const {
  const std::vector<std::byte> value = fill_value();
  std::vector<std::byte> chunk(chunk_bytes_);
  for (std::uint64_t offset = 0; offset < chunk_bytes_; offset += element_bytes_) {
    std::memcpy(chunk.data() + offset, value.data(), element_bytes_);
  }
  return chunk;
}

void DatasetReader::fetch(std::uint64_t number, const UseChunk& use, const FailChunk& fail) {
  const Box where = Pieces(shape_, chunk_).box(number);
  std::uint32_t skipped = 0;
  try {
    std::vector<std::byte> encoded = encoded_chunk(number, skipped);
    if (encoded.empty()) {
      std::vector<std::byte> chunk = unwritten_chunk();
      return use(number, chunk);
    }
    decoders_->decode(
        std::move(encoded), skipped, [number, &use](std::span<std::byte> chunk) { use(number, chunk); },
        [number, &fail, this, where](const Error& error) {
          fail(number, {ErrorKind::data, described_.path,
                        fmt::format("the chunk at {} {}", index_text(where.start), error.what())});
        });
  } catch (const Error& error) {
    fail(number, at(described_.path, error));
  } catch (const std::exception& error) {  // no memory for a chunk: others still refer to what the caller holds
    fail(number, Error(ErrorKind::system, described_.path, error.what()));
  }
}

void DatasetReader::each_chunk(std::span<const std::uint64_t> numbers, const UseChunk& use, const FailChunk& fail) {
  for (const std::uint64_t number : numbers) fetch(number, use, fail);
  decoders_->wait();
}

void DatasetReader::check_readable() const {
  constexpr std::uint64_t kMuch = 1ULL << 40;
  constexpr std::uint64_t kMostTimes = 4096;  // what filters make of a file, and far more
  const std::uint64_t bytes = described_.logical_bytes();
  if (bytes <= kMuch || bytes / kMostTimes <= file_bytes_) return;
  throw Error(ErrorKind::data, described_.path,
              fmt::format("says that it is {}, of {} in a file of {}", to_string(shape_), format_bytes(bytes),
                          format_bytes(file_bytes_)),
              "check its extents: the file may be damaged");
}

std::optional<std::vector<std::uint64_t>> DatasetReader::few_stored_chunks() const {
  const Pieces chunks(shape_, chunk_);
  std::vector<std::uint64_t> numbers;
  const std::unique_lock lock = hdf5();
  const storage::QuietHdf5 quiet;
  const DatasetFacts facts = this->facts();
  if (facts.storage == StorageKind::contiguous && facts.stored_bytes == 0) return numbers;
  if (facts.storage != StorageKind::chunked || facts.stored_chunks == chunks.count() ||
      facts.stored_chunks > kMostPlaces) {
    return std::nullopt;
  }
  storage::each_stored_chunk(dataset_, facts.path, facts.stored_chunks, kMostPlaces, [&](const Shape& origin, auto&) {
    std::uint64_t number = 0;
    bool inside = true;  // others are behind what the dataset has grown back to
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      number = number * chunks.counts()[axis] + origin[axis] / chunk_[axis];
      inside = inside && origin[axis] < shape_[axis];
    }
    if (inside) numbers.push_back(number);
  });
  return numbers;
}

std::vector<std::uint64_t> DatasetReader::stored_chunks() const {
  if (auto few = few_stored_chunks()) return *few;
  constexpr std::uint64_t kMost = 1ULL << 27;
  const std::uint64_t all = Pieces(shape_, chunk_).count();
  if (all > kMost) {
    throw Error(ErrorKind::data, described_.path, fmt::format("has {} chunks, too many to check", all),
                "check its extents: the file may be damaged");
  }
  std::vector<std::uint64_t> numbers(all);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// Calls `visit` with the number of each chunk that a box has elements of.
template <typename Visit>
void DatasetReader::for_each_touched(const Box& box, const Visit& visit) const {
  const Pieces chunks(shape_, chunk_);
  for_each_index(chunks_touched(box, chunk_), [&](const Shape& place) {
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) number = number * chunks.counts()[axis] + place[axis];
    visit(number);
  });
}

DatasetFacts DatasetReader::facts() const {
  const std::unique_lock lock = hdf5();
  const storage::QuietHdf5 quiet;
  return facts_of(dataset_, described_.path);
}

std::optional<DatasetReader::Requests> DatasetReader::requests_of(const Box& box) const {
  if (!places_) return std::nullopt;
  const std::unique_lock lock = hdf5();
  const storage::QuietHdf5 quiet;
  Requests requests;
  if (element_count(box.count) == 0) return requests;
  for_each_touched(box, [&](std::uint64_t number) {
    const storage::ChunkPlace& place = places_->at(dataset_, number);
    if (place.address == HADDR_UNDEF || place.bytes == 0) return;
    ++requests.count;
    requests.bytes += place.bytes;
  });
  return requests;
}

void DatasetReader::read_by_chunks(std::span<const Part> parts) {
  constexpr std::size_t kAtOnce = 1U << 22U;  // 64 MiB of them
  std::vector<Touch> touches;
  for (const Part& part : parts) {
    if (part.values.empty()) continue;
    for_each_touched(part.box, [&](std::uint64_t number) { touches.push_back({number, &part}); });
    if (touches.size() >= kAtOnce) read_touched(touches);
  }
  read_touched(touches);
}

// Reads them, and leaves none.
void DatasetReader::read_touched(std::vector<Touch>& touches) {
  std::ranges::stable_sort(touches, {}, &Touch::chunk);
  std::mutex mutex;
  std::optional<Error> failed;
  // Other threads hand over chunks of their own to the same decoders: this one waits for its own only.
  std::condition_variable changed;
  std::uint64_t waiting = 0;
  const auto used = [&] {
    const std::lock_guard lock(mutex);
    --waiting;
    changed.notify_one();
  };
  const FailChunk note = [&](std::uint64_t, const Error& error) {
    {
      const std::lock_guard lock(mutex);
      if (!failed) failed = error;
    }
    used();
  };
  // Those of a chunk, among touches from `begin` on. (Clang 14 cannot do std::ranges::equal_range.)
  const auto of_chunk = [&](auto begin, std::uint64_t number) {
    const auto first = std::lower_bound(begin, touches.cend(), number,
                                        [](const Touch& touch, std::uint64_t chunk) { return touch.chunk < chunk; });
    const auto end = std::upper_bound(first, touches.cend(), number,
                                      [](std::uint64_t chunk, const Touch& touch) { return chunk < touch.chunk; });
    return std::span<const Touch>(first, end);
  };
  const UseChunk use = [&](std::uint64_t number, std::span<const std::byte> chunk) {
    const std::uint64_t missed = copy_touched(number, chunk, of_chunk(touches.cbegin(), number));
    if (kept_ && missed > 0) kept_->keep(this, number, chunk);
    used();
  };
  for (auto touch = touches.cbegin(); touch != touches.cend();) {
    const std::uint64_t number = touch->chunk;
    const std::span<const Touch> parts = of_chunk(touch, number);
    touch += static_cast<std::ptrdiff_t>(parts.size());
    if (const DecodedChunks::Chunk chunk = kept_ ? kept_->find(this, number) : nullptr) {
      copy_touched(number, *chunk, parts);
    } else {
      {
        const std::lock_guard lock(mutex);
        ++waiting;
      }
      fetch(number, use, note);
    }
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting == 0; });
  }
  touches.clear();
  if (failed) throw *failed;
}

// Returns how many of its elements nobody wanted, parts taken as if they had nothing in common.
std::uint64_t DatasetReader::copy_touched(std::uint64_t number, std::span<const std::byte> chunk,
                                          std::span<const Touch> touches) const {
  const Box where = Pieces(shape_, chunk_).box(number);
  std::uint64_t missed = element_count(where.count);
  for (const Touch& touch : touches) {
    const Box part = common_part(touch.part->box, where);
    missed -= std::min(missed, element_count(part.count));
    copy_box({touch.part->values.data(), touch.part->box.count, minus(part.start, touch.part->box.start)},
             {chunk.data(), chunk_, minus(part.start, where.start)}, part.count, element_bytes_);
  }
  return missed;
}

}  // namespace weft::survey
