#include "weft/storage/series_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/fresh_driver.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/metadata_ranges.hpp"
#include "weft/storage/object_plan.hpp"
#include "weft/storage/scratch_file.hpp"
#include "weft/storage/segment.hpp"
#include "weft/storage/top_level.hpp"
#include "weft/storage/undo_file.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/version.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kTimeChunkSteps = 1024;  // 8 KiB of step values a chunk
constexpr unsigned kLinksReadAtOnce = 24;        // of segments: HDF5 begins by reading 512 bytes, and a link takes 17
constexpr unsigned kLinksInHeader = 4096;        // segments: far more than any series has, and HDF5 takes up to 65,535
constexpr std::size_t kLongestName = 255;        // as of files

bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7F; }

// For a line: without what would break it, and no longer than is read.
std::string printable(std::string name) {
  std::replace_if(name.begin(), name.end(), is_control, '?');
  if (name.size() > 40) name = name.substr(0, 40) + "..";
  return name;
}

FieldPlan time_plan(const FilePlan& plan) {
  FieldPlan time;
  time.field = {"time", DataType::float64, {}, Support::global, plan.time_units, ""};
  time.chunk = {kTimeChunkSteps};
  if (!plan.calendar.empty()) time.attributes["calendar"] = plan.calendar;
  return time;
}

// Names are links in HDF5, lines of an attribute, arrays of viewers and words of messages.
void check_name(const std::string& path, const std::string& name) {
  const auto bad = [&](std::string_view what) {
    return Error(ErrorKind::usage, path, fmt::format("'{}' {}", printable(name), what),
                 "use a word of letters, digits, _ and the like");
  };
  if (name.empty() || name == "." || name == "..") throw bad("cannot name a field");
  if (name.find('/') != std::string::npos) throw bad("cannot name a field: it has a slash");
  if (std::any_of(name.begin(), name.end(), is_control)) throw bad("cannot name a field: it has a control character");
  if (name.size() > kLongestName)
    throw bad(fmt::format("cannot name a field: it is longer than {} bytes", kLongestName));
}

// The bytes of all chunks and arrays: what the file will at least be long.
std::uint64_t data_bytes(const FilePlan& plan) {
  std::uint64_t bytes = 0;
  for (const FieldPlan& field : plan.fields) {
    std::uint64_t stored = size_of(field.field.type);
    for (std::size_t i = 0; i < field.chunk.size(); ++i) {
      const std::uint64_t extent = i == 0 ? plan.segment_steps : field.field.per_step[i - 1];
      const std::uint64_t chunk = std::min(field.chunk[i], extent);
      stored *= ceil_div(extent, chunk) * chunk;
    }
    bytes += stored;
  }
  for (const FixedArrayPlan& array : plan.fixed_arrays) bytes += element_count(array.shape) * size_of(array.type);
  return bytes;
}

// The file, empty and so long. Before HDF5 is involved, as the system or the user may have limits: an HDF5 file that
// cannot be closed takes the library down with it when the program ends.
void make_empty_file(const std::string& path, std::uint64_t bytes) {
  forget_metadata_changes(path);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw system_error(path, "cannot create", EISDIR);
  // An empty file may have been striped for us; any other is removed, as truncating it would cost a flush on ext4.
  if (exists && status.st_size > 0 && ::unlink(path.c_str()) != 0) throw system_error(path, "cannot replace", errno);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error(path, "cannot create", errno);
  const bool fits = ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
  const int cause = errno;
  ::close(descriptor);
  if (fits) return;
  ::unlink(path.c_str());
  throw system_error(path, fmt::format("cannot be made {} bytes long", bytes), cause);
}

// What HDF5 places (the mesh) begins at multiples of the alignment from this size on. Below, it would only punch holes.
constexpr std::uint64_t kAlignThreshold = 64 << 10;

Handle new_hdf5_file(const std::string& scratch, const std::string& path, std::uint64_t align_bytes) {
  const Handle access = fresh_access(file_access());
  // Values go to the file in H5Dwrite, which is checked, and not when the dataset is closed, which is not.
  H5Pset_sieve_buf_size(access, 0);
  if (align_bytes > 0) H5Pset_alignment(access, kAlignThreshold, align_bytes);
  errno = 0;
  Handle file(H5Fcreate(scratch.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  if (!file.valid()) {
    const int cause = errno;
    const std::string words = take_hdf5_error();
    throw cause != 0 ? system_error(path, "cannot create", cause)
                     : Error(ErrorKind::system, path, "cannot create: " + words);
  }
  return file;
}

void close_file(Handle& file, const std::string& path) {
  errno = 0;
  if (file.reset() < 0) {
    const int cause = errno;
    const std::string words = take_hdf5_error();
    throw cause != 0 ? system_error(path, "cannot finish the file's metadata", cause)
                     : Error(ErrorKind::system, path, "cannot finish the file's metadata: " + words);
  }
  throw_refused_write(path);
}

// The metadata that HDF5 has made, in few requests. A long index, of millions of chunks, is written where it belongs.
void carry_over(const std::string& path, const SeriesCatalog& catalog, const std::string& scratch,
                const std::vector<IndexPlan>& indexes) {
  std::uint64_t index_bytes = 0;
  for (const IndexPlan& index : indexes) index_bytes += bytes_of_index(index);
  const bool with_indexes = ScratchFile::fits_in_memory(index_bytes);
  const auto made = open_store(scratch, OpenMode::write);
  const auto store = open_store(path, OpenMode::metadata);
  const auto write_indexes = [&](ByteStore& to) {
    for (const IndexPlan& index : indexes) write_index(to, index);
  };
  if (with_indexes) write_indexes(*made);
  const std::uint64_t size = made->size();
  set_size(path, size);
  for (const ByteRange& range : metadata_ranges(catalog, {}, size, 0)) copy_range(*made, *store, range);
  if (!with_indexes) write_indexes(*store);
  store->close();
}

void write_grid(hid_t file, const RegularGrid& grid) {
  if (grid.shape.empty()) return;
  make_objects(file, {GroupObject{"/mesh",
                                  {{"grid_shape", std::vector<std::int64_t>(grid.shape.begin(), grid.shape.end())},
                                   {"grid_origin", std::vector<double>(grid.origin.begin(), grid.origin.end())},
                                   {"grid_spacing", std::vector<double>(grid.spacing.begin(), grid.spacing.end())}}}});
}

}  // namespace

void check_plan(const std::string& path, const FilePlan& plan) {
  const auto bad = [&](std::string_view what, std::string_view remedy) {
    return Error(ErrorKind::usage, path, what, remedy);
  };
  if (plan.segment_steps == 0) throw bad("a series of 0 steps", "give at least 1 step");
  if (plan.commit_slots == 0) throw bad("a series without commit slots", "give one slot for each rank");
  std::set<std::string> names{kReservedNames.begin(), kReservedNames.end()};
  for (const FieldPlan& field : plan.fields) {
    const std::string& name = field.field.name;
    check_name(path, name);
    for (const std::string& component : field.field.components) {
      if (std::none_of(component.begin(), component.end(), is_control)) continue;
      throw bad(fmt::format("field {}: a component's name '{}' has a control character", name, printable(component)),
                "use words");
    }
    if (!names.insert(name).second) {
      throw bad(fmt::format("the name '{}' is taken", name),
                "give every field a name of its own; time, weft, mesh, maps and VTKHDF are Weft's");
    }
    if (field.chunk.size() != field.field.per_step.size() + 1) {
      throw bad(fmt::format("field {}: a chunk of {} for steps of {}", name, to_string(field.chunk),
                            to_string(field.field.per_step)),
                "a chunk has one axis more than a step");
    }
  }
}

SeriesCatalog create_series_file(const std::string& path, const FilePlan& plan, const ViewMaker& view) {
  check_plan(path, plan);
  const QuietHdf5 quiet;
  std::vector<FieldPlan> fields{time_plan(plan)};
  fields.insert(fields.end(), plan.fields.begin(), plan.fields.end());

  make_empty_file(path, data_bytes(plan));
  const ScratchFile scratch(rehearsal_path(path), 0);
  Handle file = new_hdf5_file(scratch.path(), path, plan.align_bytes);
  {
    const Handle weft(check_hdf5(H5Gcreate2(file, "/weft", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), path, "/weft"));
    // Its links stay in its header, and most series' in the header's first piece, which is read and written at once: so
    // whoever looks while one is added finds the segments that were there. /V is read through these links, and HDF5
    // takes what it does not find for fill values.
    const Handle creation(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_link_phase_change(creation, kLinksInHeader, 0);
    H5Pset_est_link_info(creation, kLinksReadAtOnce, 2);
    const Handle segments(
        check_hdf5(H5Gcreate2(file, "/weft/segments", H5P_DEFAULT, creation, H5P_DEFAULT), path, "/weft/segments"));
    write_attribute(weft, "format_version", kFormatVersion);
    write_attribute(weft, "created_by", fmt::format("weft {}", kVersion));
    std::vector<std::string> names;
    names.reserve(fields.size());
    for (const FieldPlan& field : fields) names.push_back(field.field.name);
    write_names(weft, "fields", names);
    names.clear();
    for (const FixedArrayPlan& array : plan.fixed_arrays) names.push_back(array.path);
    write_names(weft, "fixed_arrays", names);
  }
  create_slots(file, "/weft/commit", std::vector<std::uint64_t>(plan.commit_slots, 0));
  create_slots(file, "/weft/durable", std::vector<std::uint64_t>(plan.commit_slots, kIdleSlot));
  create_slots(file, "/weft/writer", to_words({.epoch = 1}));
  create_segment(file, 0, 0, plan.segment_steps, fields);
  write_grid(file, plan.grid);
  for (const FixedArrayPlan& array : plan.fixed_arrays) {
    const Handle dataset = create_contiguous(file, array.path, array.type, array.shape);
    for (const auto& [name, value] : array.attributes) write_attribute(dataset, name, value);
  }
  for (const auto& [name, value] : plan.attributes)
    write_attribute(Handle(H5Gopen2(file, "/", H5P_DEFAULT)), name, value);

  SeriesCatalog catalog = catalog_open_file(file, path);
  SegmentEntry& segment = catalog.segments[0];
  segment.rooms.resize(fields.size());
  segment.align = plan.align_bytes;
  give_room(file, segment, catalog.fields, 0);
  if (has_gaps(segment)) {
    catalog.format_version = static_cast<std::uint64_t>(kFormatWithGaps);
    write_attribute(Handle(H5Gopen2(file, "/weft", H5P_DEFAULT)), "format_version", kFormatWithGaps);
  }
  {
    SetAside nothing(file);
    link_top_level(file, catalog, catalog.capacity(), nothing);
    make_view(file, catalog, catalog.capacity(), view, nothing);  // in which no map has a row yet
  }
  const std::vector<IndexPlan> indexes = plans_of_indexes(file, catalog, catalog.capacity(), 0, nullptr);
  close_file(file, path);
  carry_over(path, catalog, scratch.path(), indexes);
  return catalog;
}

bool is_series_file(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  return has_series(file);
}

std::optional<SeriesCatalog> find_catalog(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  if (!has_series(file)) return std::nullopt;
  return catalog_open_file(file, path);
}

SeriesCatalog read_catalog(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  return catalog_open_file(file, path);
}

}  // namespace weft::storage
