#include "weft/storage/chunk_room.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <span>
#include <thread>
#include <utility>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/chunk_tree.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/storage/little_endian.hpp"
#include "weft/storage/object_header.hpp"
#include "weft/storage/undo_file.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kNoIndex = ~0ULL;
constexpr std::int64_t kMostAlignment = 1LL << 40U;

// Places in the two messages that an index is led to by: https://docs.hdfgroup.org/hdf5/v1_10/_f_m_t3.html
// ("The Dataspace Message", version 2; "The Data Layout Message", version 3, chunked).
constexpr std::size_t kExtentsAt = 4;
constexpr std::size_t kIndexAt = 3;

std::string room_of(const std::string& field) { return "room of " + field; }

std::uint64_t file_end(hid_t file) {
  hsize_t bytes = 0;
  check_hdf5(H5Fget_filesize(file, &bytes), "the file", "has no size");
  return bytes;
}

// Bytes behind the end of an open file that HDF5 gives to nobody else.
std::uint64_t claim(hid_t file, std::uint64_t bytes, std::uint64_t align) {
  const std::uint64_t end = file_end(file);
  const std::uint64_t at = ceil_div(end, align) * align;
  check_hdf5(H5Fincrement_filesize(file, at + bytes - end), "the file", "cannot be made longer");
  if (file_end(file) < at + bytes) throw Error(ErrorKind::system, "the file", "cannot be made longer");
  return at;
}

// What a dataset's header says, as the file has it now.
struct Shown {
  HeaderMessage space;
  HeaderMessage layout;

  std::uint64_t steps() const { return get_little_endian(space.bytes, kExtentsAt, 8); }
  std::uint64_t index() const { return get_little_endian(layout.bytes, kIndexAt, 8); }
};

std::optional<Shown> read_shown(ByteStore& store, std::uint64_t header, std::size_t axes) {
  const auto messages = read_object_header(store, header);
  if (!messages) return std::nullopt;
  Shown shown;
  for (const HeaderMessage& message : *messages) {
    if (message.type == static_cast<std::uint8_t>(MessageType::dataspace)) shown.space = message;
    if (message.type == static_cast<std::uint8_t>(MessageType::layout)) shown.layout = message;
  }
  constexpr std::byte kChunked{2};
  const bool right = shown.space.bytes.size() >= kExtentsAt + 8 * axes && shown.space.bytes[0] == std::byte{2} &&
                     shown.space.bytes[1] == static_cast<std::byte>(axes) &&
                     shown.layout.bytes.size() >= kIndexAt + 8 + 4 * (axes + 1) &&
                     shown.layout.bytes[0] == std::byte{3} && shown.layout.bytes[1] == kChunked &&
                     shown.layout.bytes[2] == static_cast<std::byte>(axes + 1);
  return right ? std::optional(shown) : std::nullopt;
}

// What is stored of each chunk, asked for in ascending order: of an array without filters by its room, of one with
// filters by the index that begins at `index`, some leaves at a time.
std::function<IndexedChunk(std::uint64_t)> stored_in(ByteStore& store, const ArrayEntry& array, std::uint64_t index) {
  if (array.filters.empty()) {
    const auto bytes = static_cast<std::uint32_t>(array.chunk_bytes());
    return [&array, bytes](std::uint64_t n) { return IndexedChunk{array.addresses.at(n), bytes, 0}; };
  }
  struct Read {
    ChunkTree tree;
    std::uint64_t first = 0;
    std::vector<IndexedChunk> entries;
  };
  return [&store, index, read = Read{tree_of(array), 0, {}}](std::uint64_t n) mutable {
    if (n < read.first || n - read.first >= read.entries.size()) {
      const std::uint64_t leaf = ChunkTree::leaf_of(n);
      read.entries = read.tree.entries_from(store, index, leaf);
      read.first = ChunkTree::first_of_leaf(leaf);
    }
    return read.entries.at(n - read.first);
  };
}

enum class Index : std::uint8_t {
  right,   // it leads to what there is room for, and to nothing else
  others,  // it is another one, which another tool has made
  wrong,
};

// Of a dataset; `array` with room.
Index look_at(ByteStore& store, std::uint64_t header, const ArrayEntry& array, std::uint64_t index) {
  const std::optional<Shown> shown = read_shown(store, header, array.shape.size());
  if (!shown) return Index::others;
  ArrayEntry seen = array;
  seen.shape[0] = shown->steps();
  const std::uint64_t chunks = seen.chunks();
  if (chunks == 0) return shown->index() == kNoIndex ? Index::right : Index::others;
  if (shown->index() != tree_of(array).root(index)) return Index::others;
  if (shown->steps() > array.shape[0] || index + tree_of(array).bytes() > store.size()) return Index::wrong;
  // Byte by byte: HDF5 believes each of them. Where chunks have filters, only their entries say where they lie.
  const std::uint64_t end = store.size();
  bool right = true;
  const auto stored = stored_in(store, array, index);
  const auto chunk_of = [&](std::uint64_t n) {
    const IndexedChunk chunk = stored(n);
    right = right && (n >= chunks || (chunk.address <= end && chunk.bytes <= end - chunk.address));
    return chunk;
  };
  std::vector<std::byte> found;
  tree_of(array).make_nodes(index, chunks, chunk_of, [&](std::uint64_t place, Bytes wanted) {
    found.resize(wanted.size());
    store.read_at(place, MutableBytes(found));
    right = right && std::ranges::equal(found, wanted);
  });
  return right ? Index::right : Index::wrong;
}

std::optional<ChunkRoom> read_room(hid_t group, const std::string& field) {
  const std::vector<std::int64_t> numbers = read_integers(group, room_of(field));
  if (numbers.size() < 3 || numbers[1] != 0) return std::nullopt;
  ChunkRoom room{static_cast<std::uint64_t>(numbers[0]), {}, 0};
  // With filters, one number more.
  if (numbers.size() == 4) room.blank_bytes = static_cast<std::uint64_t>(numbers[3]);
  if (numbers.size() % 2 == 0 && room.blank_bytes == 0) return std::nullopt;
  for (std::size_t i = 1; i + 1 < numbers.size(); i += 2) {
    if (i > 1 && numbers[i] <= numbers[i - 2]) return std::nullopt;
    room.stretches.push_back({static_cast<std::uint64_t>(numbers[i]), static_cast<std::uint64_t>(numbers[i + 1])});
  }
  return room;
}

// The same, with patience while the file is being changed (storage/metadata_change.hpp), and where chunks have filters:
// a run that goes on overwrites their entries, also between the two times that look_at() reads one.
Index settle(ByteStore& store, std::uint64_t header, const ArrayEntry& array, std::uint64_t index) {
  constexpr int kTries = 20;
  Index found = look_at(store, header, array, index);
  const auto may_change = [&](int tried) {
    return (!array.filters.empty() && tried <= kTries / 4) || ::access(undo_path(store.name()).c_str(), F_OK) == 0;
  };
  for (int tried = 1; tried < kTries && found != Index::right && may_change(tried); ++tried) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    found = look_at(store, header, array, index);
  }
  return found;
}

// A chunk of zeros, as it is stored.
ChunkCoder::Encoded blank_chunk(const ArrayEntry& array, const std::string& filter) {
  return ChunkCoder(parse_filters(filter, size_of(array.type))).encode(std::vector<std::byte>(array.chunk_bytes()));
}

}  // namespace

ChunkTree tree_of(const ArrayEntry& array) {
  return {array.shape, array.chunk, size_of(array.type), !array.filters.empty()};
}

Handle create_roomy(hid_t file, const std::string& path, DataType type, const Shape& shape, const Shape& chunk,
                    const std::string& filter) {
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const std::vector<hsize_t> extents = to_hsize(chunk);
  check_hdf5(H5Pset_chunk(properties, static_cast<int>(extents.size()), extents.data()), path,
             fmt::format("HDF5 refuses a chunk of {}", to_string(chunk)), ErrorKind::usage);
  if (!filter.empty()) {
    register_filters();
    add_filters(properties, parse_filters(filter, size_of(type)));
  }
  const std::vector<hsize_t> now = to_hsize(shape);
  std::vector<hsize_t> most = now;
  most[0] = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()));
  return create_dataset(file, path, native_type(type), space, properties);
}

std::optional<IndexPlan> create_rows(hid_t file, const VirtualObject& plan) {
  // Along a first axis that counts rows, a chunk a row; else one chunk.
  const bool has_rows = !plan.mappings.empty() && plan.mappings[0].source_shape.size() > 1;
  Shape chunk = plan.shape;
  if (has_rows) chunk[0] = 1;
  if (plan.mappings.empty()) std::fill(chunk.begin(), chunk.end(), 1);  // there will be none
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const std::vector<hsize_t> extents = to_hsize(chunk);
  check_hdf5(H5Pset_chunk(properties, static_cast<int>(extents.size()), extents.data()), plan.path,
             "a row is longer than a chunk may be", ErrorKind::usage);
  set_fill(properties, plan.type, plan.fill);
  ObjectInfo info;
  {
    const Handle dataset =
        create_dataset(file, plan.path, native_type(plan.type), simple_space(plan.shape), properties);
    for (const auto& [name, value] : plan.attributes) write_attribute(dataset, name, value);
    check_hdf5(object_info(dataset, info), plan.path, "cannot be looked at");
  }
  if (plan.mappings.empty()) return std::nullopt;
  const Mapping& mapping = plan.mappings[0];
  const ArrayEntry source = array_entry(file, mapping.source);
  IndexPlan index{info.address, {plan.path, plan.type, plan.shape, chunk, {}, {}}, {}, plan.shape[0]};
  const std::uint64_t row_bytes = index.array.chunk_bytes();
  const std::uint64_t rows = has_rows ? mapping.from.count[0] : 1;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t row = 0; row < rows; ++row) addresses.push_back(source.address() + row * row_bytes);
  index.room.index = claim(file, tree_of(index.array).bytes(), 8);
  // Not every reader shows the fill value where there is no chunk: those behind share a row of it.
  if (index.array.chunks() > rows && plan.type == DataType::float64) {
    index.fill_from = claim(file, row_bytes, 8);
    index.fill = plan.fill.value_or(std::numeric_limits<double>::quiet_NaN());
    addresses.resize(index.array.chunks(), index.fill_from);
  }
  index.array.addresses = ChunkAddresses::listed(std::move(addresses));
  return index;
}

std::uint64_t rows_shown(hid_t dataset, const ArrayEntry& array) {
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> at(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))), 0);
  hsize_t chunks = 0;
  if (at.empty() || H5Dget_num_chunks(dataset, space, &chunks) < 0) return 0;
  const std::uint64_t row_bytes = array.shape.back() * size_of(array.type);
  std::uint64_t rows = 0;
  for (; rows < chunks; ++rows) {
    unsigned skipped = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    at[0] = rows;
    check_hdf5(H5Dget_chunk_info_by_coord(dataset, at.data(), &skipped, &address, &bytes), array.path,
               "its rows cannot be found", ErrorKind::data);
    if (address != array.address() + rows * row_bytes || bytes != row_bytes) break;
  }
  return rows;
}

std::uint64_t pitch_of(const ArrayEntry& array, std::uint64_t align) {
  const bool in_tiles = !std::equal(array.shape.begin() + 1, array.shape.end(), array.chunk.begin() + 1);
  return align > 0 && in_tiles ? ceil_div(array.chunk_bytes(), align) * align : array.chunk_bytes();
}

void claim_room(hid_t file, const ArrayEntry& array, const std::string& filter, std::uint64_t align, ChunkRoom& room,
                std::uint64_t had) {
  const std::uint64_t chunks = array.chunks();
  if (chunks == had) return;
  // The index first: what is read together lies together, and before what is large.
  room.index = claim(file, tree_of(array).bytes(), filter.empty() ? 8 : 4096);
  if (!filter.empty()) {
    if (had > 0) return;
    room.blank_bytes = blank_chunk(array, filter).bytes.size();
    room.stretches.push_back({0, claim(file, room.blank_bytes, 8)});
    return;
  }
  room.pitch = pitch_of(array, align);
  const std::uint64_t unit = std::max<std::uint64_t>(8, align);
  room.stretches.push_back({had, claim(file, ceil_div((chunks - had) * room.pitch, unit) * unit, unit)});
}

void write_rooms(hid_t file, const std::string& group, const SegmentEntry& segment,
                 const std::vector<FieldEntry>& fields) {
  const Handle opened(check_hdf5(H5Gopen2(file, group.c_str(), H5P_DEFAULT), group, "cannot open the group"));
  write_attribute(opened, "room", static_cast<std::int64_t>(segment.steps));
  if (segment.align > 0) write_attribute(opened, "align", static_cast<std::int64_t>(segment.align));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(segment.rooms[f].index)};
    for (const ChunkAddresses::Stretch& stretch : segment.rooms[f].stretches) {
      numbers.push_back(static_cast<std::int64_t>(stretch.first));
      numbers.push_back(static_cast<std::int64_t>(stretch.address));
    }
    if (segment.rooms[f].blank_bytes > 0) numbers.push_back(static_cast<std::int64_t>(segment.rooms[f].blank_bytes));
    write_attribute(opened, room_of(fields[f].name), numbers);
  }
}

ChunkAddresses addresses_in(const ChunkRoom& room) {
  if (room.blank_bytes > 0) return {};
  return ChunkAddresses::in_stretches(room.stretches, room.pitch);
}

bool read_rooms(hid_t file, const std::string& group, const std::vector<FieldEntry>& fields, SegmentEntry& segment) {
  const Handle opened(check_hdf5(H5Gopen2(file, group.c_str(), H5P_DEFAULT), group, "cannot open the group"));
  const std::int64_t steps = read_integer(opened, "room");
  if (steps <= 0) return false;
  SegmentEntry found = segment;
  found.steps = static_cast<std::uint64_t>(steps);
  const std::int64_t align = read_integer(opened, "align");
  if (align < 0 || align > kMostAlignment) return false;
  found.align = static_cast<std::uint64_t>(align);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    std::optional<ChunkRoom> room = read_room(opened, fields[f].name);
    ArrayEntry& array = found.fields[f];
    if (!room || array.filters.empty() != (room->blank_bytes == 0)) return false;
    array.shape[0] = found.steps;
    if (room->blank_bytes == 0) room->pitch = pitch_of(array, found.align);
    array.addresses = addresses_in(*room);
    found.rooms.push_back(*room);
  }
  segment = std::move(found);
  return true;
}

std::vector<std::uint64_t> blank_chunks(hid_t file) {
  std::vector<std::uint64_t> found;
  for (const char* group : {"/weft", "/weft/segments", "/weft/segments/0"}) {
    if (H5Lexists(file, group, H5P_DEFAULT) <= 0) return found;
  }
  const Handle segment(H5Gopen2(file, "/weft/segments/0", H5P_DEFAULT));
  for (const std::string& field : read_names(Handle(H5Gopen2(file, "/weft", H5P_DEFAULT)), "fields")) {
    const std::optional<ChunkRoom> room = read_room(segment, field);
    if (room && room->blank_bytes > 0) found.push_back(room->stretches[0].address);
  }
  return found;
}

FoundIndexes look_at_indexes(hid_t file, const SegmentEntry& segment) {
  FoundIndexes found;
  std::string path(static_cast<std::size_t>(std::max<ssize_t>(0, H5Fget_name(file, nullptr, 0))), '\0');
  H5Fget_name(file, path.data(), path.size() + 1);
  const auto store = open_store(path, OpenMode::read);
  for (std::size_t f = 0; f < segment.fields.size(); ++f) {
    const ArrayEntry& array = segment.fields[f];
    ObjectInfo info;
    check_hdf5(object_info(file, array.path.c_str(), info), array.path, "cannot be looked at", ErrorKind::data);
    const Index index = settle(*store, info.address, array, segment.rooms[f].index);
    if (index == Index::others) found.of_another_tool = true;
    if (index != Index::wrong) continue;
    const std::optional<Shown> shown = read_shown(*store, info.address, array.shape.size());
    found.wrong.push_back({info.address, array, segment.rooms[f], shown ? shown->steps() : 0});
  }
  return found;
}

std::vector<IndexPlan> index_plans(hid_t file, const SeriesCatalog& catalog, std::uint64_t shown,
                                   const SeriesCatalog* before) {
  std::vector<IndexPlan> plans;
  const SegmentEntry& segment = catalog.segments.at(0);
  for (std::size_t f = 0; f < segment.fields.size(); ++f) {
    ObjectInfo info;
    check_hdf5(object_info(file, segment.fields[f].path.c_str(), info), segment.fields[f].path, "cannot be looked at");
    plans.push_back({info.address, segment.fields[f], segment.rooms.at(f), shown});
    if (catalog.fields[f].filter.empty()) continue;
    plans.back().filter = catalog.fields[f].filter;
    if (before == nullptr) continue;
    plans.back().before = before->capacity();
    plans.back().before_index = before->segments[0].rooms.at(f).index;
  }
  return plans;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> stored_ranges(ByteStore& store, const ArrayEntry& array,
                                                                   const ChunkRoom& room) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const IndexedChunk& chunk : tree_of(array).entries(store, room.index)) {
    all.emplace_back(chunk.address, chunk.address + chunk.bytes);
  }
  std::sort(all.begin(), all.end());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> joined;
  for (const auto& range : all) {
    if (!joined.empty() && range.first <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, range.second);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

namespace {

// What the index is to say of every chunk there is room for, asked for in ascending order.
std::function<IndexedChunk(std::uint64_t)> chunks_to_show(ByteStore& store, const IndexPlan& plan) {
  if (plan.array.filters.empty()) return stored_in(store, plan.array, 0);
  const IndexedChunk blank{plan.room.stretches.at(0).address, static_cast<std::uint32_t>(plan.room.blank_bytes),
                           blank_chunk(plan.array, plan.filter).skipped};
  ArrayEntry before = plan.array;
  before.shape[0] = plan.before;
  const std::uint64_t known = plan.before > 0 ? before.chunks() : 0;
  return [blank, known, stored = stored_in(store, before, plan.before_index)](std::uint64_t n) {
    const IndexedChunk chunk = n < known ? stored(n) : blank;
    return chunk.bytes == 0 ? blank : chunk;  // behind a cut
  };
}

}  // namespace

std::uint64_t bytes_of_index(const IndexPlan& plan) {
  std::uint64_t bytes = tree_of(plan.array).bytes();
  if (!plan.fill) return bytes;
  for (const auto& [begin, end] : plan.array.addresses.byte_ranges(plan.array.chunks(), plan.array.chunk_bytes())) {
    if (begin >= plan.fill_from) bytes += end - begin;
  }
  return bytes;
}

void write_index(ByteStore& store, const IndexPlan& plan) {
  const ArrayEntry& array = plan.array;
  const std::optional<Shown> header = read_shown(store, plan.header, array.shape.size());
  if (!header) throw Error(ErrorKind::data, store.name(), fmt::format("{} is no dataset with room", array.path));
  const ChunkTree tree = tree_of(array);
  ArrayEntry seen = array;
  seen.shape[0] = plan.shown;
  tree.make_nodes(plan.room.index, seen.chunks(), chunks_to_show(store, plan),
                  [&](std::uint64_t place, Bytes nodes) { store.write_at(place, nodes); });
  if (!plan.filter.empty() && plan.before == 0) {
    store.write_at(plan.room.stretches.at(0).address, Bytes(blank_chunk(array, plan.filter).bytes));
  }
  if (plan.fill) {
    for (const auto& [begin, end] : array.addresses.byte_ranges(array.chunks(), array.chunk_bytes())) {
      if (begin < plan.fill_from) continue;
      const std::vector<double> values((end - begin) / sizeof(double), *plan.fill);
      store.write_at(begin, std::as_bytes(std::span(values)));
    }
  }
  std::vector<std::byte> layout = header->layout.bytes;
  put_little_endian(layout, kIndexAt, 8, seen.chunks() == 0 ? kNoIndex : tree.root(plan.room.index));
  patch_message(store, header->layout, Bytes(layout));
  std::vector<std::byte> space = header->space.bytes;
  put_little_endian(space, kExtentsAt, 8, plan.extent.value_or(plan.shown));
  patch_message(store, header->space, Bytes(space));
}

}  // namespace weft::storage
