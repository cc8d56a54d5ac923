#include "weft/storage/undo_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/superblock.hpp"

namespace weft::storage {

namespace {

using nlohmann::json;

constexpr int kUndoVersion = 2;  // 1 had no version, no checksum and no bytes of after

[[noreturn]] void refuse_damaged(const std::string& path) {
  throw Error(ErrorKind::data, undo_path(path), "is damaged",
              fmt::format("keep both files and ask for help, or remove it if {} is the one you want", path));
}

json binary_of(const std::vector<std::byte>& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::binary({data, data + bytes.size()});
}

std::vector<std::byte> bytes_of(const json& value) {
  const auto& bytes = value.get_binary();
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

std::uint32_t checksum_of(const json::binary_t& bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

json to_json(const UndoRecord& record) {
  json ranges = json::array();
  for (const Overwritten& range : record.ranges) {
    ranges.push_back({{"at", range.at}, {"before", binary_of(range.before)}, {"after", binary_of(range.after)}});
  }
  return {{"device", record.device},
          {"inode", record.inode},
          {"size", record.size},
          {"new_size", record.new_size},
          {"ranges", std::move(ranges)}};
}

UndoRecord from_json(const json& undo) {
  UndoRecord record;
  record.device = undo.at("device").get<std::uint64_t>();
  record.inode = undo.at("inode").get<std::uint64_t>();
  record.size = undo.at("size").get<std::uint64_t>();
  record.new_size = undo.at("new_size").get<std::uint64_t>();
  for (const json& range : undo.at("ranges")) {
    record.ranges.push_back(
        {range.at("at").get<std::uint64_t>(), bytes_of(range.at("before")), bytes_of(range.at("after"))});
  }
  return record;
}

UndoRecord from_first_version(const json& undo) {
  UndoRecord record;
  record.knows_after = false;
  record.size = undo.at("size").get<std::uint64_t>();
  for (const json& range : undo.at("ranges")) {
    record.ranges.push_back({range.at("at").get<std::uint64_t>(), bytes_of(range.at("bytes")), {}});
  }
  return record;
}

bool is_whole(const UndoRecord& record) {
  if (record.knows_after && record.new_size < record.size) return false;
  return std::all_of(record.ranges.begin(), record.ranges.end(), [&](const Overwritten& range) {
    const bool fits = range.before.size() <= record.size && range.at <= record.size - range.before.size();
    return fits && (!record.knows_after || range.after.size() == range.before.size());
  });
}

// The file as it will be when the bytes of before are back.
class AsBefore final : public ByteStore {
 public:
  AsBefore(const UndoRecord& record, ByteStore& live) : record_(record), live_(live) {}
  const std::string& name() const override { return live_.name(); }
  std::uint64_t size() override { return record_.size; }
  void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) override {
    live_.read_at(offset, pieces);
    for (const MutableBytes& piece : pieces) {
      for (const Overwritten& range : record_.ranges) {
        const std::uint64_t begin = std::max(offset, range.at);
        const std::uint64_t end = std::min(offset + piece.size(), range.at + range.before.size());
        if (begin >= end) continue;
        std::copy_n(range.before.data() + (begin - range.at), end - begin, piece.data() + (begin - offset));
      }
      offset += piece.size();
    }
  }
  void write_at(std::uint64_t, std::span<const Bytes>) override { refuse(); }
  void reserve(std::uint64_t, std::uint64_t) override { refuse(); }
  void sync() override {}
  void close() override {}

 private:
  [[noreturn]] void refuse() const { throw Error(ErrorKind::system, name(), "is only looked at"); }

  const UndoRecord& record_;
  ByteStore& live_;
};

// Nothing that the file of before refers to may lie behind its end, or cutting it there would lose it.
bool ends_within(const UndoRecord& record, ByteStore& live) {
  try {
    AsBefore file(record, live);
    const std::optional<Superblock> superblock = read_superblock(file);
    return superblock && superblock->intact && superblock->end_of_file <= record.size;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return false;
  }
}

// For undo files that do not know the bytes of after.
bool opens_as_it_is(const std::string& path) {
  try {
    const QuietHdf5 quiet;
    const Handle file = open_read_only(path);
    if (!file.valid()) return false;
    catalog_open_file(file, path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string undo_path(const std::string& path) { return behind_links(path) + ".weft-undo"; }
std::string undo_part_path(const std::string& path) { return undo_path(path) + ".part"; }

void set_size(const std::string& path, std::uint64_t size) {
  if (::truncate(path.c_str(), static_cast<off_t>(size)) != 0)
    throw system_error(path, "cannot change the size", errno);
}

UndoRecord record_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(path, "cannot be looked up", errno);
  UndoRecord record;
  record.device = status.st_dev;
  record.inode = status.st_ino;
  record.size = record.new_size = static_cast<std::uint64_t>(status.st_size);
  return record;
}

void save_undo(const std::string& path, const UndoRecord& record) {
  const json::binary_t inner(json::to_cbor(to_json(record)));
  const json outer = {{"version", kUndoVersion}, {"checksum", checksum_of(inner)}, {"record", inner}};
  const std::vector<std::uint8_t> cbor = json::to_cbor(outer);
  // Whole under a name of its own first: an undo file that is there is one that was finished.
  const std::string part = undo_part_path(path);
  const auto store = open_store(part, OpenMode::create);
  store->write_at(0, Bytes(reinterpret_cast<const std::byte*>(cbor.data()), cbor.size()));
  store->sync();
  store->close();
  replace_name(part, undo_path(path));
}

std::optional<UndoRecord> load_undo(const std::string& path) {
  if (::access(undo_path(path).c_str(), F_OK) != 0) return std::nullopt;
  const auto file = open_store(undo_path(path), OpenMode::read);
  std::vector<std::uint8_t> cbor(file->size());
  file->read_at(0, MutableBytes(reinterpret_cast<std::byte*>(cbor.data()), cbor.size()));
  const json undo = json::from_cbor(cbor, true, false);
  if (!undo.is_object()) refuse_damaged(path);
  try {
    UndoRecord record;
    if (undo.contains("version")) {
      if (undo.at("version") != kUndoVersion) {
        throw Error(ErrorKind::data, undo_path(path), "was left by a later version of Weft", "use that one");
      }
      const auto& inner = undo.at("record").get_binary();
      if (undo.at("checksum") != checksum_of(inner)) refuse_damaged(path);
      record = from_json(json::from_cbor(inner));
    } else {
      record = from_first_version(undo);
    }
    if (!is_whole(record)) refuse_damaged(path);
    return record;
  } catch (const json::exception&) {
    refuse_damaged(path);
  }
}

void remove_undo(const std::string& path) {
  remove_name(undo_path(path));
  remove_name(undo_part_path(path));
}

UndoState undo_state(const UndoRecord& record, ByteStore& live) {
  const std::uint64_t size = live.size();
  if (size < record.size || (record.knows_after && size > record.new_size)) return UndoState::foreign;
  bool all_before = true;
  bool all_after = record.knows_after;
  for (const Overwritten& range : record.ranges) {
    std::vector<std::byte> now(range.before.size());
    live.read_at(range.at, MutableBytes(now));
    all_before = all_before && now == range.before;
    all_after = all_after && now == range.after;
    for (std::size_t i = 0; record.knows_after && i < now.size(); ++i) {
      if (now[i] != range.before[i] && now[i] != range.after[i]) return UndoState::foreign;
    }
  }
  if (all_before && size == record.size) return UndoState::before;
  if (all_after && size == record.new_size) return UndoState::after;
  if (!ends_within(record, live)) return UndoState::foreign;
  // Without the bytes of after, only a file that nothing opens is sure to need those of before.
  if (!record.knows_after && !all_before && opens_as_it_is(live.name())) return UndoState::foreign;
  return UndoState::part;
}

void refuse_foreign(const UndoRecord& record, const std::string& path) {
  struct stat status {};
  const bool same = record.knows_after && ::stat(path.c_str(), &status) == 0 && status.st_dev == record.device &&
                    status.st_ino == record.inode;
  throw Error(ErrorKind::data, undo_path(path),
              same ? "does not match its file: it was written before the file was replaced" : "is of another file",
              fmt::format("remove it if {} is the one you want", path));
}

void write_after(const UndoRecord& record, ByteStore& live) {
  constexpr std::uint64_t kPage = 4096;  // what a write and a read of the page cache copy at once, at the least
  const auto from_its_end = [&](const Overwritten& range) {
    for (std::uint64_t end = range.at + range.after.size(); end > range.at;) {
      const std::uint64_t begin = std::max(range.at, (end - 1) / kPage * kPage);
      live.write_at(begin, Bytes(range.after).subspan(begin - range.at, end - begin));
      end = begin;
    }
  };
  const auto rest = std::find_if(record.ranges.begin(), record.ranges.end(), [](const auto& r) { return r.at > 0; });
  std::for_each(record.ranges.begin(), rest, from_its_end);
  std::for_each(record.ranges.rbegin(), std::make_reverse_iterator(rest), from_its_end);
}

void put_back(const UndoRecord& record, ByteStore& live) {
  for (const Overwritten& range : record.ranges) live.write_at(range.at, Bytes(range.before));
  if (live.size() > record.size) set_size(live.name(), record.size);
}

}  // namespace weft::storage
