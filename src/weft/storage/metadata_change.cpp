#include "weft/storage/metadata_change.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::storage {

namespace {

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

std::string undo_path(const std::string& path) { return path + ".weft-undo"; }
std::string part_path(const std::string& path) { return undo_path(path) + ".part"; }
std::string rehearsal_path(const std::string& path) { return path + ".weft-rehearsal"; }

void add_array(std::vector<Range>& ranges, const ArrayMap& array) {
  if (!array.addresses.known()) return;  // then its bytes are carried along as if they were metadata
  const std::uint64_t pieces = array.addresses.are_in_a_row() ? 1 : array.chunks();
  const std::uint64_t bytes = array.chunks() / pieces * array.chunk_bytes();
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t at = array.addresses.at(piece);
    ranges.push_back({at, at + bytes});
  }
}

// The bytes of [0, size) that are no array's data: HDF5's metadata and what lies unused between.
// Slots belong to the ranks, and a copy of them would be stale: they count as data, but where they are new.
std::vector<Range> metadata_ranges(const SeriesMap& map, std::uint64_t size, std::uint64_t old_size) {
  std::vector<Range> data;
  for (const SegmentMap& segment : map.segments) {
    for (const ArrayMap& array : segment.fields) add_array(data, array);
  }
  for (const ArrayMap& array : map.fixed_arrays) add_array(data, array);
  if (map.commit.address() < old_size) add_array(data, map.commit);
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

std::vector<std::byte> read_range(ByteStore& store, const Range& range) {
  std::vector<std::byte> bytes(range.end - range.begin);
  store.read_at(range.begin, MutableBytes(bytes));
  return bytes;
}

void set_size(const std::string& path, std::uint64_t size) {
  if (::truncate(path.c_str(), static_cast<off_t>(size)) != 0)
    throw system_error(path, "cannot change the size", errno);
}

// Removes the sparse copy however its owner is left.
struct Scratch {
  std::string path;
  ~Scratch() { ::unlink(path.c_str()); }
};

void save_undo(const std::string& path, std::uint64_t old_size, const std::vector<Range>& overwritten,
               ByteStore& live) {
  nlohmann::json undo = {{"size", old_size}, {"ranges", nlohmann::json::array()}};
  for (const Range& range : overwritten) {
    const std::vector<std::byte> old = read_range(live, range);
    const auto* data = reinterpret_cast<const std::uint8_t*>(old.data());
    undo["ranges"].push_back({{"at", range.begin}, {"bytes", nlohmann::json::binary({data, data + old.size()})}});
  }
  const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(undo);
  // Whole under a name of its own first: an undo file that is there is one that can be trusted.
  const std::string part = part_path(path);
  const auto store = open_posix(part, OpenMode::create);
  store->write_at(0, Bytes(reinterpret_cast<const std::byte*>(cbor.data()), cbor.size()));
  store->sync();
  store->close();
  if (::rename(part.c_str(), undo_path(path).c_str()) != 0) throw system_error(part, "cannot rename", errno);
}

}  // namespace

void change_metadata(const SeriesMap& map, const std::function<SeriesMap(hid_t file)>& change) {
  const QuietHdf5 quiet;
  const auto live = open_posix(map.path, OpenMode::write_through);  // and not the gigabytes of steps beside it
  const std::uint64_t old_size = live->size();
  const std::vector<Range> old_metadata = metadata_ranges(map, old_size, old_size);

  const Scratch scratch{rehearsal_path(map.path)};
  SeriesMap changed;
  {
    const auto copy = open_posix(scratch.path, OpenMode::create);
    for (const Range& range : old_metadata) copy->write_at(range.begin, Bytes(read_range(*live, range)));
    copy->close();
    set_size(scratch.path, old_size);
    const Handle access = file_access();
    Handle file(check_hdf5(H5Fopen(scratch.path.c_str(), H5F_ACC_RDWR, access), map.path, "cannot extend the file"));
    changed = change(file);
    check_hdf5(file.reset(), map.path, "cannot extend the file");
  }

  const auto rehearsed = open_posix(scratch.path, OpenMode::read);
  const std::uint64_t new_size = rehearsed->size();
  std::vector<Range> overwritten;
  constexpr std::uint64_t kPage = 512;  // compare in small pages, so that little is saved and rewritten
  for (const Range& range : old_metadata) {
    for (std::uint64_t at = range.begin; at < std::min(range.end, new_size); at += kPage) {
      const Range page{at, std::min({at + kPage, range.end, new_size})};
      if (read_range(*live, page) == read_range(*rehearsed, page)) continue;
      if (!overwritten.empty() && overwritten.back().end == page.begin) {
        overwritten.back().end = page.end;
      } else {
        overwritten.push_back(page);
      }
    }
  }

  if (new_size > old_size) {
    // Behind the old end nothing refers to anything yet: a crash here leaves the old file, only longer.
    set_size(map.path, new_size);
    for (const Range& range : metadata_ranges(changed, new_size, old_size)) {
      if (range.end <= old_size) continue;
      const Range fresh{std::max(range.begin, old_size), range.end};
      live->write_at(fresh.begin, Bytes(read_range(*rehearsed, fresh)));
    }
  }
  save_undo(map.path, old_size, overwritten, *live);
  for (const Range& range : overwritten) live->write_at(range.begin, Bytes(read_range(*rehearsed, range)));
  live->close();
  ::unlink(undo_path(map.path).c_str());
}

void forget_metadata_changes(const std::string& path) {
  for (const std::string& leftover : {undo_path(path), part_path(path), rehearsal_path(path)}) {
    ::unlink(leftover.c_str());
  }
}

MetadataLeftovers metadata_leftovers(const std::string& path) {
  const auto is_there = [](const std::string& name) { return ::access(name.c_str(), F_OK) == 0; };
  return {is_there(undo_path(path)), is_there(part_path(path)) || is_there(rehearsal_path(path))};
}

bool undo_metadata_change(const std::string& path) {
  ::unlink(part_path(path).c_str());
  ::unlink(rehearsal_path(path).c_str());
  if (::access(undo_path(path).c_str(), F_OK) != 0) return false;
  const auto undo_file = open_posix(undo_path(path), OpenMode::read);
  const std::vector<std::byte> cbor = read_range(*undo_file, {0, undo_file->size()});
  const auto* data = reinterpret_cast<const std::uint8_t*>(cbor.data());
  const nlohmann::json undo = nlohmann::json::from_cbor(data, data + cbor.size(), true, false);
  if (undo.is_discarded())
    throw Error(ErrorKind::data, undo_path(path), "is damaged", "keep both files and ask for help");
  const auto live = open_posix(path, OpenMode::write);
  try {
    const auto size = undo.at("size").get<std::uint64_t>();
    for (const auto& range : undo.at("ranges")) {
      const auto& bytes = range.at("bytes").get_binary();
      live->write_at(range.at("at").get<std::uint64_t>(),
                     Bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()));
    }
    live->sync();
    live->close();
    set_size(path, size);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::data, undo_path(path), "is damaged", "keep both files and ask for help");
  }
  ::unlink(undo_path(path).c_str());
  return true;
}

}  // namespace weft::storage
