#include "weft/storage/series_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <set>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/object_plan.hpp"
#include "weft/storage/top_level.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/version.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kTimeChunkSteps = 1024;  // 8 KiB of step values a chunk
// Of steps that are not written yet. Viewers search the times for the step they want (VTK by halving): with zeros
// there, they find another one.
constexpr double kTimeToCome = std::numeric_limits<double>::infinity();
constexpr unsigned kLinksReadAtOnce = 24;  // of segments: HDF5 begins by reading 512 bytes, and a link takes 17
constexpr unsigned kLinksInHeader = 4096;  // segments: far more than any series has, and HDF5 takes up to 65,535
constexpr std::size_t kLongestName = 255;  // as of files

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

// Sees whether the file may become so long at all (limits of the system or the user), before HDF5 is involved: an HDF5
// file that cannot be closed takes the library down with it when the program ends.
void try_length(const std::string& path, std::uint64_t bytes, bool keep) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error(path, "cannot create", errno);
  const bool fits = ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
  const int cause = errno;
  const bool restored = ::ftruncate(descriptor, 0) == 0;
  ::close(descriptor);
  // A file once cut back to nothing is one that ext4 flushes when it is closed: go on with a new one where that is
  // allowed.
  if (!keep || !fits || !restored) ::unlink(path.c_str());
  if (fits && restored) return;
  throw system_error(path, fmt::format("cannot be made {} bytes long", bytes), cause);
}

Handle new_file(const std::string& path, std::uint64_t align_bytes, std::uint64_t bytes) {
  forget_metadata_changes(path);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw system_error(path, "cannot create", EISDIR);
  // An empty file may have been striped for us; any other is removed, as truncating it would cost a flush on ext4.
  if (exists && status.st_size > 0 && ::unlink(path.c_str()) != 0) throw system_error(path, "cannot replace", errno);
  try_length(path, bytes, exists && status.st_size == 0);
  const Handle access = file_access();
  // Values go to the file in H5Dwrite, which is checked, and not when the dataset is closed, which is not.
  H5Pset_sieve_buf_size(access, 0);
  if (align_bytes > 0) H5Pset_alignment(access, kAlignThreshold, align_bytes);
  errno = 0;
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
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
}

Shape with_steps(std::uint64_t steps, const Shape& per_step) {
  Shape shape{steps};
  shape.insert(shape.end(), per_step.begin(), per_step.end());
  return shape;
}

// Creates /weft/segments/<number> with a dataset for every field. In the first one they are still without chunks.
void create_segment(hid_t file, std::size_t number, std::uint64_t first_step, std::uint64_t steps,
                    const std::vector<FieldPlan>& fields) {
  const std::string group_path = fmt::format("/weft/segments/{}", number);
  const Handle group(check_hdf5(H5Gcreate2(file, group_path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), group_path,
                                "cannot create the group"));
  write_attribute(group, "first_step", static_cast<std::int64_t>(first_step));
  for (const FieldPlan& plan : fields) {
    Shape chunk = plan.chunk;
    const Shape shape = with_steps(steps, plan.field.per_step);
    for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = std::min(chunk[i], shape[i]);
    const std::string dataset_path = group_path + "/" + plan.field.name;
    const Handle dataset = number == 0
                               ? create_roomy(file, dataset_path, plan.field.type, shape, chunk, plan.field.filter)
                               : create_chunked(file, dataset_path, plan.field.type, shape, chunk);
    if (number > 0 && plan.field.name == "time") {
      const std::vector<double> to_come(steps, kTimeToCome);
      check_hdf5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to_come.data()), group_path,
                 "cannot write the times");
    }
    if (number > 0) continue;  // what describes a field stands on its first dataset
    write_attribute(dataset, "weft_support", std::string(name_of(plan.field.support)));
    if (!plan.field.units.empty()) write_attribute(dataset, "units", plan.field.units);
    if (plan.field.subset == Subset::first) write_attribute(dataset, "weft_subset", std::string("first"));
    if (plan.field.subset == Subset::listed) write_attribute(dataset, "weft_subset", std::string("listed"));
    if (!plan.field.components.empty()) write_names(dataset, "weft_components", plan.field.components);
    if (!plan.field.component_units.empty()) {
      write_names(dataset, "weft_component_units", plan.field.component_units);
    }
    if (!plan.field.rationale.empty()) write_attribute(dataset, "weft_layout", plan.field.rationale);
    for (const auto& [name, value] : plan.attributes) write_attribute(dataset, name, value);
  }
}

// Gives the segment's datasets, which have room for `had` steps, room for as many as it has now.
void give_room(hid_t file, SegmentEntry& segment, const std::vector<FieldEntry>& fields, std::uint64_t had,
               std::uint64_t align_bytes) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    ArrayEntry& array = segment.fields[f];
    array.shape[0] = had;
    const std::uint64_t chunks = array.chunks();
    array.shape[0] = segment.steps;
    claim_room(file, array, fields[f].filter, align_bytes, segment.rooms[f], chunks);
    array.addresses = addresses_in(segment.rooms[f], array);
  }
  write_rooms(file, "/weft/segments/0", segment, fields);
}

// What the datasets' indexes become, with times to come in new chunks, which lie behind `old_end`.
std::vector<IndexPlan> plans_of_indexes(hid_t file, const SeriesCatalog& catalog, std::uint64_t shown,
                                        std::uint64_t old_end, const SeriesCatalog* before) {
  std::vector<IndexPlan> plans = index_plans(file, catalog, shown, before);
  plans[0].fill = kTimeToCome;
  plans[0].fill_from = old_end;
  return plans;
}

void write_grid(hid_t file, const RegularGrid& grid) {
  if (grid.shape.empty()) return;
  make_objects(file, {GroupObject{"/mesh",
                                  {{"grid_shape", std::vector<std::int64_t>(grid.shape.begin(), grid.shape.end())},
                                   {"grid_origin", std::vector<double>(grid.origin.begin(), grid.origin.end())},
                                   {"grid_spacing", std::vector<double>(grid.spacing.begin(), grid.spacing.end())}}}});
}

Handle open_for_reading(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    ask_for_names(path);
    if (::stat(path.c_str(), &status) != 0) throw system_error(path, "cannot open", errno);
  }
  if (S_ISDIR(status.st_mode)) throw system_error(path, "cannot open", EISDIR);
  Handle file = open_read_only(path);
  if (!file.valid()) {
    throw Error(ErrorKind::data, path, "cannot be opened as HDF5: " + take_hdf5_error(),
                "check that it is a whole HDF5 file and readable");
  }
  return file;
}

std::vector<FieldPlan> plans_of(const SeriesCatalog& catalog) {
  std::vector<FieldPlan> plans;
  for (std::size_t f = 0; f < catalog.fields.size(); ++f) {
    plans.push_back({catalog.fields[f], catalog.segments[0].fields[f].chunk, {}});
  }
  return plans;
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

  Handle file = new_file(path, plan.align_bytes, data_bytes(plan));
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
  give_room(file, segment, catalog.fields, 0, plan.align_bytes);
  {
    SetAside nothing(file);
    link_top_level(file, catalog, catalog.capacity(), nothing);
    make_view(file, catalog, catalog.capacity(), view, nothing);  // in which no map has a row yet
  }
  const std::vector<IndexPlan> indexes = plans_of_indexes(file, catalog, catalog.capacity(), 0, nullptr);
  close_file(file, path);
  const auto store = open_store(path, OpenMode::metadata);
  for (const IndexPlan& index : indexes) write_index(*store, index);
  store->close();
  return catalog;
}

bool is_series_file(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  return has_series(file);
}

SeriesCatalog read_catalog(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  return catalog_open_file(file, path);
}

namespace {

void add_to(std::vector<IndexPlan>& indexes, std::vector<IndexPlan> more) {
  std::move(more.begin(), more.end(), std::back_inserter(indexes));
}

// Of a series whose datasets can get more room where they are.
void add_room_in_place(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  change_metadata(catalog, [&](hid_t file) {
    SeriesCatalog longer = catalog;
    hsize_t old_end = 0;
    check_hdf5(H5Fget_filesize(file, &old_end), catalog.path, "has no size");
    SegmentEntry& segment = longer.segments[0];
    segment.steps += steps;
    give_room(file, segment, longer.fields, catalog.capacity(), 8);
    longer.length = longer.capacity();
    std::vector<IndexPlan> indexes = plans_of_indexes(file, longer, longer.length, old_end, &catalog);
    SetAside aside(file);
    add_to(indexes, make_view(file, longer, longer.length, view, aside));
    aside.let_go();
    return MetadataChange(longer, std::move(indexes));
  });
}

// Of one in the segments of format 1.
void add_segment(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  change_metadata(catalog, [&](hid_t file) {
    create_segment(file, catalog.segments.size(), catalog.capacity(), steps, plans_of(catalog));
    SeriesCatalog longer = catalog_open_file(file, catalog.path);
    longer.length = longer.capacity();  // and not that of /time as it is: the view is of what will be there
    SetAside aside(file);
    link_top_level(file, longer, longer.length, aside);
    make_view(file, longer, longer.length, view, aside);
    aside.let_go();
    return longer;
  });
}

// In an open file: lets the top-level datasets show so many steps. What is left to be done when HDF5 has closed it.
std::vector<IndexPlan> show_length(hid_t file, const SeriesCatalog& catalog, std::uint64_t steps, SetAside& aside) {
  if (catalog.has_rooms()) {
    aside.take(kChecksumsGroup);  // which were taken of as many steps as were shown
    return index_plans(file, catalog, steps, &catalog);
  }
  link_top_level(file, catalog, steps, aside);
  return {};
}

}  // namespace

SeriesCatalog add_room(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  const QuietHdf5 quiet;
  if (catalog.has_rooms()) {
    add_room_in_place(catalog, steps, view);
  } else {
    add_segment(catalog, steps, view);
  }
  return read_catalog(catalog.path);
}

SeriesCatalog set_length(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  const QuietHdf5 quiet;
  SeriesCatalog changed = catalog;
  changed.length = steps;
  change_metadata(catalog, [&](hid_t file) {
    SetAside aside(file);
    std::vector<IndexPlan> indexes = show_length(file, catalog, steps, aside);
    add_to(indexes, make_view(file, changed, steps, view, aside));
    aside.let_go();
    return MetadataChange(changed, std::move(indexes));
  });
  return changed;
}

void renew_view(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  const QuietHdf5 quiet;
  change_metadata(catalog, [&](hid_t file) {
    SetAside aside(file);
    std::vector<IndexPlan> indexes = make_view(file, catalog, steps, view, aside);
    aside.let_go();
    return MetadataChange(catalog, std::move(indexes));
  });
}

ShownSteps shown_steps(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  return shown_in_open_file(file);
}

void show_steps(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view, bool anew) {
  const ShownSteps shown = shown_steps(catalog.path);
  if (shown.length != steps) {
    set_length(catalog, steps, view);
  } else if (anew || shown.viewed.value_or(steps) != steps) {
    renew_view(catalog, steps, view);
  }
}

std::vector<MapAge> maps_behind(const SeriesCatalog& catalog, std::uint64_t steps) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(catalog.path);
  std::vector<MapAge> ages = map_ages(file, catalog);
  std::erase_if(ages, [&](const MapAge& age) { return age.steps == 0 || age.steps >= steps; });
  return ages;
}

namespace {

// Steps from `from_step` on are written anew, at other times maybe.
void forget_times(const SeriesCatalog& catalog, std::uint64_t from_step) {
  // On the disk before another machine writes: its page may be shared with data of others (decision 16).
  const auto store = open_store(catalog.path, OpenMode::write_through);
  for (const SegmentEntry& segment : catalog.segments) {
    const ArrayEntry& time = segment.fields[0];
    std::uint64_t step = from_step > segment.first_step ? from_step - segment.first_step : 0;
    while (step < segment.steps) {
      const std::uint64_t in_chunk = step % time.chunk[0];
      const std::uint64_t steps = std::min(time.chunk[0] - in_chunk, segment.steps - step);
      const std::vector<double> to_come(steps, kTimeToCome);
      const Bytes bytes = std::as_bytes(std::span(to_come));
      store->write_at(time.addresses.at(step / time.chunk[0]) + in_chunk * sizeof(double), std::span(&bytes, 1));
      step += steps;
    }
  }
  store->close();
}

}  // namespace

SeriesCatalog continue_series(const SeriesCatalog& catalog, std::uint64_t from_step, const NewWriter& writer,
                              const ViewMaker& view) {
  const QuietHdf5 quiet;
  // First of all, and on the disk: ranks of the writers before see that they are too late.
  begin_epoch(catalog);
  change_metadata(catalog, [&](hid_t file) {
    SetAside aside(file);
    for (const char* object : {kChecksumsGroup, "/weft/commit", "/weft/durable"}) aside.take(object);
    create_slots(file, "/weft/commit", writer.commit);
    create_slots(file, "/weft/durable", writer.durable);
    if (catalog.writer.shape.empty()) create_slots(file, "/weft/writer", to_words({.epoch = 1}));
    SeriesCatalog changed = catalog_open_file(file, catalog.path);
    changed.length = changed.capacity();
    // Other readers must see every step that may now be committed.
    std::vector<IndexPlan> indexes;
    if (catalog.length != changed.length) indexes = show_length(file, changed, changed.length, aside);
    empty_maps_beyond(file, changed, from_step, aside);
    add_to(indexes, make_view(file, changed, changed.length, view, aside));
    aside.let_go();
    return MetadataChange(changed, std::move(indexes));
  });
  SeriesCatalog changed = read_catalog(catalog.path);
  forget_times(changed, from_step);
  set_boot(changed, writer.boot);
  return changed;
}

}  // namespace weft::storage
