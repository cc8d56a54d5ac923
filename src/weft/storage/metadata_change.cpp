#include "weft/storage/metadata_change.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/data_of_others.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/fresh_driver.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/metadata_ranges.hpp"
#include "weft/storage/scratch_file.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::storage {

namespace {

// Of fields with filters: their chunks lie where there was room.
void add_filtered(std::vector<ByteRange>& ranges, const SeriesCatalog& catalog, ByteStore& live) {
  if (!catalog.has_rooms()) return;
  const SegmentEntry& segment = catalog.segments[0];
  for (std::size_t f = 0; f < segment.fields.size(); ++f) {
    if (segment.rooms[f].blank_bytes == 0) continue;
    for (const auto& [begin, end] : stored_ranges(live, segment.fields[f], segment.rooms[f])) {
      ranges.push_back({begin, end});
    }
  }
}

std::vector<ByteRange> data_of_others(const SeriesCatalog& catalog) {
  const Handle file = open_read_only(catalog.path);
  if (!file.valid()) throw_hdf5_error(ErrorKind::system, catalog.path, "cannot be opened");
  return data_of_others(file, catalog);
}

// The change, made by HDF5 on a sparse copy of the metadata.
SeriesCatalog rehearse(const SeriesCatalog& catalog, const std::vector<ByteRange>& metadata, ByteStore& live,
                       std::uint64_t size, const std::string& scratch,
                       const std::function<MetadataChange(hid_t file)>& change) {
  const auto copy = open_store(scratch, OpenMode::write);
  for (const ByteRange& range : metadata) copy_range(live, *copy, range);
  copy->close();
  set_size(scratch, size);
  const Handle access =
      fresh_access(file_access(H5F_LIBVER_LATEST, catalog.has_rooms() ? H5F_LIBVER_V18 : H5F_LIBVER_V110));
  // Values go to the file in H5Dwrite, which is checked, and not when the dataset is closed, which is not.
  H5Pset_sieve_buf_size(access, 0);
  Handle file(check_hdf5(H5Fopen(scratch.c_str(), H5F_ACC_RDWR, access), catalog.path, "cannot extend the file"));
  MetadataChange changed = change(file);
  check_hdf5(file.reset(), catalog.path, "cannot extend the file");
  throw_refused_write(catalog.path);
  if (!changed.indexes.empty()) {
    const auto made = open_store(scratch, OpenMode::write);
    for (const IndexPlan& index : changed.indexes) write_index(*made, index);
    made->close();
  }
  return std::move(changed.catalog);
}

// What the change overwrites of the old metadata, by small pages, so that little is saved and rewritten.
std::vector<Overwritten> differences(const std::vector<ByteRange>& metadata, ByteStore& live, ByteStore& rehearsed) {
  constexpr std::size_t kPage = 512;
  const std::uint64_t new_size = rehearsed.size();
  std::vector<Overwritten> found;
  for (const ByteRange& range : metadata) {
    each_piece({range.begin, std::min(range.end, new_size)}, [&](const ByteRange& piece) {
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
  for (const ByteRange& range : metadata_ranges(changed, {}, record.new_size, record.size)) {
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
  std::vector<ByteRange> data = data_of_others(catalog);
  add_filtered(data, catalog, *live);
  const std::vector<ByteRange> metadata = metadata_ranges(catalog, std::move(data), record.size, record.size);

  const ScratchFile scratch(rehearsal_path(catalog.path), bytes_of(metadata));
  const SeriesCatalog changed = rehearse(catalog, metadata, *live, record.size, scratch.path(), change);
  const auto rehearsed = open_store(scratch.path(), OpenMode::read);
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

std::string rehearsal_path(const std::string& path) { return behind_links(path) + ".weft-rehearsal"; }

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
