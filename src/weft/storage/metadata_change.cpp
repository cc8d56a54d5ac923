#include "weft/storage/metadata_change.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/data_of_others.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::storage {

namespace {

using Range = ByteRange;

std::string rehearsal_path(const std::string& path) { return behind_links(path) + ".weft-rehearsal"; }

// Of what lies wholly before this place in the file.
void add_array(std::vector<Range>& ranges, const ArrayEntry& array, std::uint64_t before = ~0ULL) {
  // Where they are not known, its bytes are carried along as if they were metadata.
  for (const auto& [begin, end] : array.addresses.byte_ranges(array.chunks(), array.chunk_bytes())) {
    if (end <= before) ranges.push_back({begin, end});
  }
}

// The bytes of [0, size) that are no array's data, nor in `data`: HDF5's metadata and what lies unused between.
// Slots belong to the ranks, and a copy of them would be stale: they count as data, but where they are new. So do the
// times: new ones hold what says that their steps are to come. What is new may begin before the old end: a change that
// was killed leaves the file longer than it is for HDF5.
std::vector<Range> metadata_ranges(const SeriesCatalog& catalog, std::vector<Range> data, std::uint64_t size,
                                   std::uint64_t old_size) {
  for (const SegmentEntry& segment : catalog.segments) {
    for (std::size_t f = 0; f < segment.fields.size(); ++f) {
      add_array(data, segment.fields[f], f > 0 ? ~0ULL : old_size);
    }
  }
  for (const ArrayEntry& array : catalog.fixed_arrays) add_array(data, array);
  for (const ArrayEntry* slots : {&catalog.commit, &catalog.durable, &catalog.writer}) {
    if (!slots->shape.empty()) add_array(data, *slots, old_size);
  }
  std::sort(data.begin(), data.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> rest;
  std::uint64_t at = 0;
  for (const Range& range : data) {
    if (range.begin > at) rest.push_back({at, std::min(range.begin, size)});
    at = std::max(at, range.end);
  }
  if (at < size) rest.push_back({at, size});
  return rest;
}

// Calls `use` with pieces of the range, one after another: a range may be larger than the memory.
template <typename Use>
void each_piece(const Range& range, const Use& use) {
  constexpr std::uint64_t kPiece = 1 << 20;
  for (std::uint64_t at = range.begin; at < range.end; at += kPiece) use(Range{at, std::min(at + kPiece, range.end)});
}

std::vector<std::byte> read_range(ByteStore& store, const Range& range) {
  std::vector<std::byte> bytes(range.end - range.begin);
  store.read_at(range.begin, MutableBytes(bytes));
  return bytes;
}

// Blocks of zeros stay holes where the target has been empty.
void copy_range(ByteStore& from, ByteStore& to, const Range& range) {
  constexpr std::size_t kBlock = 64 << 10;
  each_piece(range, [&](const Range& piece) {
    const std::vector<std::byte> bytes = read_range(from, piece);
    const auto is_empty = [&](std::size_t at) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + kBlock, bytes.size()));
      return std::all_of(begin, end, [](std::byte b) { return b == std::byte{0}; });
    };
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t end = at;
      while (end < bytes.size() && !is_empty(end)) end = std::min(end + kBlock, bytes.size());
      if (end > at) to.write_at(piece.begin + at, Bytes(bytes).subspan(at, end - at));
      at = end + kBlock;
    }
  });
}

// Removes the sparse copy however its owner is left.
struct Scratch {
  std::string path;
  ~Scratch() { ::unlink(path.c_str()); }
};

// Of fields with filters: their chunks lie where there was room.
void add_filtered(std::vector<Range>& ranges, const SeriesCatalog& catalog, ByteStore& live) {
  if (!catalog.has_rooms()) return;
  const SegmentEntry& segment = catalog.segments[0];
  for (std::size_t f = 0; f < segment.fields.size(); ++f) {
    if (segment.rooms[f].blank_bytes == 0) continue;
    for (const auto& [begin, end] : stored_ranges(live, segment.fields[f], segment.rooms[f])) {
      ranges.push_back({begin, end});
    }
  }
}

std::vector<Range> data_of_others(const SeriesCatalog& catalog) {
  const Handle file = open_read_only(catalog.path);
  if (!file.valid()) throw_hdf5_error(ErrorKind::system, catalog.path, "cannot be opened");
  return data_of_others(file, catalog);
}

// The change, made by HDF5 on a sparse copy of the metadata.
SeriesCatalog rehearse(const SeriesCatalog& catalog, const std::vector<Range>& metadata, ByteStore& live,
                       std::uint64_t size, const std::function<MetadataChange(hid_t file)>& change) {
  const std::string scratch = rehearsal_path(catalog.path);
  const auto copy = open_store(scratch, OpenMode::create);
  for (const Range& range : metadata) copy_range(live, *copy, range);
  copy->close();
  set_size(scratch, size);
  const Handle access = file_access(H5F_LIBVER_LATEST, catalog.has_rooms() ? H5F_LIBVER_V18 : H5F_LIBVER_V110);
  // Values go to the file in H5Dwrite, which is checked, and not when the dataset is closed, which is not.
  H5Pset_sieve_buf_size(access, 0);
  Handle file(check_hdf5(H5Fopen(scratch.c_str(), H5F_ACC_RDWR, access), catalog.path, "cannot extend the file"));
  MetadataChange changed = change(file);
  check_hdf5(file.reset(), catalog.path, "cannot extend the file");
  if (!changed.indexes.empty()) {
    const auto made = open_store(scratch, OpenMode::write);
    for (const IndexPlan& index : changed.indexes) write_index(*made, index);
    made->close();
  }
  return std::move(changed.catalog);
}

// What the change overwrites of the old metadata, by small pages, so that little is saved and rewritten.
std::vector<Overwritten> differences(const std::vector<Range>& metadata, ByteStore& live, ByteStore& rehearsed) {
  constexpr std::size_t kPage = 512;
  const std::uint64_t new_size = rehearsed.size();
  std::vector<Overwritten> found;
  for (const Range& range : metadata) {
    each_piece({range.begin, std::min(range.end, new_size)}, [&](const Range& piece) {
      const std::vector<std::byte> before = read_range(live, piece);
      const std::vector<std::byte> after = read_range(rehearsed, piece);
      for (std::size_t at = 0; at < before.size(); at += kPage) {
        const std::size_t bytes = std::min(kPage, before.size() - at);
        const Bytes old_page = Bytes(before).subspan(at, bytes);
        const Bytes new_page = Bytes(after).subspan(at, bytes);
        if (std::equal(old_page.begin(), old_page.end(), new_page.begin())) continue;
        const std::uint64_t begin = piece.begin + at;
        if (found.empty() || found.back().at + found.back().before.size() != begin) found.push_back({begin, {}, {}});
        found.back().before.insert(found.back().before.end(), old_page.begin(), old_page.end());
        found.back().after.insert(found.back().after.end(), new_page.begin(), new_page.end());
      }
    });
  }
  return found;
}

// The superblock is written by itself (write_after() in storage/undo_file.cpp says when).
void split_superblock(std::vector<Overwritten>& ranges, ByteStore& live) {
  const std::optional<Superblock> superblock = read_superblock(live);
  if (ranges.empty() || ranges[0].at > 0 || !superblock || ranges[0].before.size() <= superblock->bytes.size()) return;
  const auto length = static_cast<std::ptrdiff_t>(superblock->bytes.size());
  const auto cut = [&](std::vector<std::byte>& bytes) {
    std::vector<std::byte> rest(bytes.begin() + length, bytes.end());
    bytes.resize(superblock->bytes.size());
    return rest;
  };
  Overwritten rest{superblock->bytes.size(), cut(ranges[0].before), cut(ranges[0].after)};
  ranges.insert(ranges.begin() + 1, std::move(rest));
}

// What the change put behind the old end. Nothing refers to it yet: a crash here leaves the old file, only longer.
void write_behind_end(const SeriesCatalog& changed, const UndoRecord& record, ByteStore& live, ByteStore& rehearsed) {
  if (record.new_size == record.size) return;
  // By a write and not by ftruncate: a write-through write brings the new size to the disk, too.
  const std::byte nothing{0};
  live.write_at(record.new_size - 1, Bytes(&nothing, 1));
  for (const Range& range : metadata_ranges(changed, {}, record.new_size, record.size)) {
    if (range.end > record.size) copy_range(rehearsed, live, {std::max(range.begin, record.size), range.end});
  }
}

// The file as it was before anything was overwritten. Where that fails, it is longer than it was, which harms nobody.
void forget_what_lies_behind(const std::string& path, const UndoRecord& record) noexcept {
  try {
    if (record.new_size > record.size) set_size(path, record.size);
    remove_undo(path);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the first failure is the one to tell
  }
}

void overwrite(const SeriesCatalog& catalog, const UndoRecord& record, ByteStore& live) {
  try {
    begin_change(catalog);
    // At the speed of memory for those who read beside it, then once more, to the disk. Where other machines write
    // whole pages back, a page must not be cached here.
    if (file_system_of(catalog.path).sharing() == Sharing::plainly) {
      write_after(record, *open_store(catalog.path, OpenMode::write));
    }
    write_after(record, live);
    end_change(catalog);
  } catch (const Error& failure) {
    try {
      put_back(record, live);
      remove_undo(catalog.path);
      end_change(catalog);
    } catch (const Error&) {
      throw Error(ErrorKind::system, "", std::string(failure.what()) + ", and what was there cannot be put back",
                  "run weft recover after the disk is repaired");
    }
    throw;
  }
}

}  // namespace

void change_metadata(const SeriesCatalog& catalog, const std::function<MetadataChange(hid_t file)>& change) {
  const QuietHdf5 quiet;
  if (metadata_leftovers(catalog.path).undo) {
    throw Error(ErrorKind::data, catalog.path, "a metadata change was interrupted", "weft recover undoes it");
  }
  const auto live = open_store(catalog.path, OpenMode::write_through);  // and not the gigabytes of steps beside it
  UndoRecord record = record_of(catalog.path);
  std::vector<Range> data = data_of_others(catalog);
  add_filtered(data, catalog, *live);
  const std::vector<Range> metadata = metadata_ranges(catalog, std::move(data), record.size, record.size);

  const Scratch scratch{rehearsal_path(catalog.path)};
  const SeriesCatalog changed = rehearse(catalog, metadata, *live, record.size, change);
  const auto rehearsed = open_store(scratch.path, OpenMode::read);
  record.new_size = std::max(record.size, rehearsed->size());
  record.ranges = differences(metadata, *live, *rehearsed);
  split_superblock(record.ranges, *live);
  if (record.ranges.empty()) return;  // nothing in the file would refer to anything new

  try {
    write_behind_end(changed, record, *live, *rehearsed);
    save_undo(catalog.path, record);
  } catch (...) {
    forget_what_lies_behind(catalog.path, record);
    throw;
  }
  overwrite(catalog, record, *live);
  live->close();
  remove_undo(catalog.path);
}

void forget_metadata_changes(const std::string& path) {
  remove_undo(path);
  remove_name(rehearsal_path(path));
}

MetadataLeftovers metadata_leftovers(const std::string& path) {
  const auto is_there = [](const std::string& name) { return ::access(name.c_str(), F_OK) == 0; };
  return {is_there(undo_path(path)), is_there(undo_part_path(path)) || is_there(rehearsal_path(path))};
}

UndoState interrupted_change(const std::string& path) {
  const std::optional<UndoRecord> record = load_undo(path);
  if (!record) return UndoState::none;
  const UndoState state = undo_state(*record, *open_store(path, OpenMode::read));
  if (state == UndoState::foreign) refuse_foreign(*record, path);
  return state;
}

bool undo_metadata_change(const std::string& path) {
  const std::optional<UndoRecord> record = load_undo(path);
  bool undone = false;
  if (record) {
    const auto live = open_store(path, OpenMode::write_through);
    const UndoState state = undo_state(*record, *live);
    if (state == UndoState::foreign) refuse_foreign(*record, path);
    undone = state == UndoState::part;
    if (undone) put_back(*record, *live);
    live->sync();  // what is right in memory may yet be torn on the disk, and the undo file goes
    live->close();
  }
  forget_metadata_changes(path);
  return undone;
}

}  // namespace weft::storage
