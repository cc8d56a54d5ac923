#include "weft/reading/stored_array.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/read_plan.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/survey/survey.hpp"

namespace weft::reading {

namespace {

using storage::Handle;
using survey::Form;

// What is unpacked or put in order at a time, and what decoding may take at least.
constexpr std::uint64_t kPieceBytes = 32ULL << 20;
constexpr std::uint64_t kDecodingBytes = 256ULL << 20;

}  // namespace

std::recursive_mutex& hdf5_lock() {
  static std::recursive_mutex lock;
  // A child process has only the thread that forked: no other one may hold the lock then, or the child waits for ever.
  // The child's thread has another number than the one that locked, so it gets a new lock.
  [[maybe_unused]] static const int at_fork =
      pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] { std::construct_at(&lock); });
  return lock;
}

Error replaced(const std::string& path) {
  return {ErrorKind::data, path, "has been replaced by another file of its name", "open it again"};
}

hid_t OpenedFile::get() {
  if (file_.valid()) return file_;
  storage::Handle file = survey::open_file(whole_path_);
  if (storage::inode_of(whole_path_) != inode_) throw replaced(path_);
  file_ = std::move(file);
  return file_;
}

std::shared_ptr<storage::ByteStore> OpenedFile::bytes() {
  if (bytes_) return bytes_;
  std::shared_ptr<storage::ByteStore> bytes = storage::open_store(whole_path_, storage::OpenMode::read);
  if (storage::inode_of(whole_path_) != inode_) throw replaced(path_);
  bytes_ = std::move(bytes);
  return bytes_;
}

Decoding plain_decoding(const storage::ArrayEntry& array) {
  Decoding decoding;
  decoding.seen = array.shape;
  decoding.may_be_cut = true;
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) decoding.order.push_back(axis);
  switch (array.type) {
    case DataType::float32: decoding.values = ValueCoding::plain(StoredType::float32); break;
    case DataType::float64: decoding.values = ValueCoding::plain(StoredType::float64); break;
    case DataType::int32: decoding.values = ValueCoding::plain(StoredType::int32); break;
    case DataType::int64: decoding.values = ValueCoding::plain(StoredType::int64); break;
    case DataType::uint8: decoding.values = ValueCoding::plain(StoredType::uint8); break;
  }
  return decoding;
}

StoredArray::StoredArray(std::shared_ptr<OpenedFile> file, storage::ArrayEntry array, Decoding decoding,
                         OnRequest on_request, std::shared_ptr<survey::DecodedChunks> kept)
    : file_(std::move(file)), array_(std::move(array)), decoding_(std::move(decoding)) {
  const std::scoped_lock lock(hdf5_lock());
  const storage::QuietHdf5 quiet;
  {
    const Handle dataset(storage::check_hdf5(H5Dopen2(file_->get(), array_.path.c_str(), H5P_DEFAULT), file_->path(),
                                             "cannot open dataset " + array_.path, ErrorKind::data));
    const survey::DatasetDescription described = survey::description_of(dataset, array_.path);
    check_shape(described);
    find_places(dataset, described);
  }
  if (direct_) return;
  survey::ReadLimits limits;
  const std::uint64_t chunk_bytes = element_count(array_.chunk) * size_of(decoding_.values.stored);
  limits.chunk_bytes = std::max(kDecodingBytes, chunk_bytes);
  limits.on_request = std::move(on_request);
  limits.kept = std::move(kept);
  limits.hdf5_lock = &hdf5_lock();
  limits.bytes = file_->bytes();
  reader_ =
      std::make_unique<survey::DatasetReader>(file_->get(), array_.path, memory_type(decoding_.values.stored), limits);
}

StoredArray::~StoredArray() = default;

// A file may be written anew under its inode, too; it may also have grown.
void StoredArray::check_shape(const survey::DatasetDescription& facts) const {
  Shape known = decoding_.seen;
  if (decoding_.form != Form::plain) {
    const std::uint64_t steps = known[0];
    known.erase(known.begin());
    if (decoding_.form != Form::one_a_step) known[0] *= steps;
  }
  const auto cut = static_cast<std::ptrdiff_t>(decoding_.may_be_cut ? 1 : 0);
  const bool holds = facts.shape.size() == known.size() &&
                     std::equal(known.begin() + cut, known.end(), facts.shape.begin() + cut, std::less_equal<>());
  if (holds) return;
  throw Error(ErrorKind::data, file_->path(),
              fmt::format("{} is {}, and was {} when the file was opened", array_.path, to_string(facts.shape),
                          to_string(known)),
              "open it again");
}

void StoredArray::find_places(hid_t dataset, const survey::DatasetDescription& facts) {
  const ValueCoding& values = decoding_.values;
  const Handle type(H5Dget_type(dataset));
  const bool as_is = facts.filters.empty() && H5Tequal(type, memory_type(values.stored)) > 0 &&
                     size_of(values.stored) == weft::size_of(values.type) && values.meant != StoredType::uint64 &&
                     is_identity(decoding_.order) && survey::user_block_of(dataset) == 0;
  if (!as_is) return;
  survey::KnownAxes known;
  known.form = decoding_.form;
  known.shape = decoding_.seen;
  const bool contiguous = facts.storage == survey::StorageKind::contiguous;
  if (!contiguous && facts.storage != survey::StorageKind::chunked) return;
  const std::optional<Shape> chunk = contiguous ? decoding_.seen : survey::chunk_as_seen(known, facts.chunk);
  if (!chunk) return;
  std::optional<storage::ArrayEntry> bytes = survey::array_in_bytes(dataset, survey::facts_of(dataset, facts.path));
  if (!bytes) return;
  direct_ = array_;
  direct_->chunk = *chunk;
  direct_->addresses = std::move(bytes->addresses);
}

void StoredArray::unpack(std::span<std::byte> values) const {
  if (!decoding_.values.is_identity()) decode(decoding_.values, values, values);
}

double StoredArray::stored_share() {
  const std::scoped_lock lock(hdf5_lock());
  if (!stored_share_) {
    const survey::DatasetFacts facts = reader_->facts();
    const auto elements = static_cast<double>(facts.stored_elements_bytes());
    const double widths = static_cast<double>(size_of(decoding_.values.stored)) /
                          static_cast<double>(weft::size_of(decoding_.values.type));
    stored_share_ = elements > 0 ? static_cast<double>(facts.stored_bytes) / elements * widths : 1.0;
  }
  return *stored_share_;
}

std::optional<survey::DatasetReader::Requests> StoredArray::requests_of(const Box& box) const {
  if (!fetches_whole_chunks() || decoding_.form != Form::plain || !is_identity(decoding_.order)) return std::nullopt;
  return reader_->requests_of(box);
}

void StoredArray::read(std::span<const Part> parts) {
  const bool as_is = decoding_.values.is_identity() && is_identity(decoding_.order);
  if (as_is && decoding_.form == Form::plain) return reader_->read(parts);
  for (const auto& [box, values] : parts) {
    if (values.empty()) continue;
    if (as_is) {
      read_seen(box, values);
    } else {
      read_in_order(box, values);
    }
  }
}

void StoredArray::read_in_order(const Box& box, std::span<std::byte> values) {
  const std::uint64_t step_bytes = values.size() / box.count[0];
  std::uint64_t steps = std::max<std::uint64_t>(1, kPieceBytes / step_bytes);
  if (steps > array_.chunk[0]) steps -= steps % array_.chunk[0];
  Box piece = box;
  for (std::uint64_t at = 0; at < box.count[0]; at += piece.count[0]) {
    piece.start[0] = box.start[0] + at;
    const std::uint64_t in_chunk = steps < array_.chunk[0] ? 0 : piece.start[0] % array_.chunk[0];
    piece.count[0] = std::min(steps - in_chunk, box.count[0] - at);  // ends where a chunk does
    read_piece(piece, values.subspan(at * step_bytes, piece.count[0] * step_bytes));
  }
}

void StoredArray::read_piece(const Box& box, std::span<std::byte> values) {
  const Box seen{as_in_dataset(box.start, decoding_.order), as_in_dataset(box.count, decoding_.order)};
  std::vector<std::byte> elements(element_count(box.count) * size_of(decoding_.values.stored));
  read_seen(seen, elements);
  if (!is_identity(decoding_.order)) {
    std::vector<std::byte> in_order(elements.size());
    reorder(elements, seen.count, decoding_.order, size_of(decoding_.values.stored), in_order);
    elements = std::move(in_order);
  }
  decode(decoding_.values, elements, values);
}

void StoredArray::read_seen(const Box& seen, std::span<std::byte> elements) {
  if (decoding_.form == Form::plain) return reader_->read(seen, elements);
  Box box = seen;
  box.start.erase(box.start.begin());
  box.count.erase(box.count.begin());
  if (decoding_.form == Form::one_a_step) return reader_->read(box, elements);
  const std::uint64_t nodes = decoding_.seen[1];
  const std::uint64_t steps = seen.count[0];
  const bool whole_steps = seen.start[1] == 0 && seen.count[1] == nodes;
  const std::uint64_t step_bytes = elements.size() / steps;
  const std::uint64_t node_bytes = step_bytes / seen.count[1];
  const std::uint64_t chunk_steps = array_.chunk[0];
  std::vector<std::byte> all_nodes;
  for (std::uint64_t step = 0; step < steps;) {
    const std::uint64_t first = seen.start[0] + step;
    const std::uint64_t to_end = chunk_steps - first % chunk_steps;
    const std::uint64_t together = whole_steps ? steps : std::min(steps - step, to_end);
    box.start[0] = first * nodes;
    box.count[0] = together * nodes;
    std::span<std::byte> to = elements.subspan(step * step_bytes, together * step_bytes);
    step += together;
    if (whole_steps) {
      reader_->read(box, to);
    } else if (together == 1) {
      box.start[0] += seen.start[1];
      box.count[0] = seen.count[1];
      reader_->read(box, to);
    } else {  // all nodes of the steps of a chunk: it is read once
      all_nodes.resize(together * nodes * node_bytes);
      reader_->read(box, all_nodes);
      for (std::uint64_t i = 0; i < together; ++i) {
        std::memcpy(to.data() + i * step_bytes, all_nodes.data() + (i * nodes + seen.start[1]) * node_bytes,
                    step_bytes);
      }
    }
  }
}

StoredArray& StoredArrays::at(std::size_t segment, std::size_t field, const std::function<StoredArray*()>& make) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<StoredArray>& array = arrays_[{segment, field}];
  if (!array) array.reset(make());
  return *array;
}

}  // namespace weft::reading
