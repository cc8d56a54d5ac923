#include "weft/storage/catalog_open_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "weft/storage/bit_rounding.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

RegularGrid read_grid(hid_t file) {
  RegularGrid grid;
  if (H5Lexists(file, "/mesh", H5P_DEFAULT) <= 0) return grid;
  const Handle mesh(H5Gopen2(file, "/mesh", H5P_DEFAULT));
  for (const double extent : read_numbers(mesh, "grid_shape")) grid.shape.push_back(static_cast<std::uint64_t>(extent));
  const auto fill = [&](const char* name, std::array<double, 3>& values) {
    const std::vector<double> read = read_numbers(mesh, name);
    if (read.size() == 3) std::copy(read.begin(), read.end(), values.begin());
  };
  fill("grid_origin", grid.origin);
  fill("grid_spacing", grid.spacing);
  return grid;
}

std::optional<std::uint64_t> read_viewed(hid_t file) {
  for (const char* path : {"/VTKHDF/Steps", "/VTKHDF/mesh/Steps"}) {  // the second where there are several blocks
    const Handle steps(H5Gopen2(file, path, H5P_DEFAULT));
    if (steps.valid()) return static_cast<std::uint64_t>(read_integer(steps, "NSteps"));
    H5Eclear2(H5E_DEFAULT);
  }
  return std::nullopt;
}

// Behind a user block HDF5's addresses are none in the file, and some of its answers count the block and others do not.
void check_begins_at_once(hid_t file, const std::string& path) {
  const Handle creation(H5Fget_create_plist(file));
  hsize_t block = 0;
  H5Pget_userblock(creation, &block);
  if (block == 0) return;
  throw Error(ErrorKind::data, path, fmt::format("has a user block of {} bytes, and no Weft file has one", block),
              fmt::format("h5unjam -i {} --delete -o NEW takes it away", path));
}

// Reads the rooms, and compares them with what HDF5 reads.
bool has_good_rooms(hid_t file, const std::string& path, const std::string& group,
                    const std::vector<FieldEntry>& fields, SegmentEntry& segment) {
  SegmentEntry with_rooms = segment;
  if (!read_rooms(file, group, fields, with_rooms)) return false;
  const FoundIndexes found = look_at_indexes(file, with_rooms);
  if (!found.wrong.empty()) {
    throw Error(ErrorKind::data, path,
                fmt::format("the index of {} does not lead to its chunks", found.wrong[0].array.path),
                found.wrong[0].array.filters.empty()
                    ? "it is damaged, or another tool has changed the dataset; weft recover makes the index anew"
                    : "it is damaged, or another tool has changed the dataset; h5py may still read chunks of it");
  }
  if (found.of_another_tool) return false;
  segment = std::move(with_rooms);
  return true;
}

bool gives_space_in_pages(hid_t file) {
  const Handle creation(H5Fget_create_plist(file));
  H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
  hbool_t persists = false;
  hsize_t threshold = 0;
  return H5Pget_file_space_strategy(creation, &strategy, &persists, &threshold) >= 0 &&
         strategy == H5F_FSPACE_STRATEGY_PAGE;
}

}  // namespace

std::vector<IndexPlan> wrong_indexes(hid_t file) {
  const std::string group = "/weft/segments/0";
  if (H5Lexists(file, "/weft", H5P_DEFAULT) <= 0 || H5Lexists(file, "/weft/segments", H5P_DEFAULT) <= 0 ||
      H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0) {
    return {};
  }
  std::vector<FieldEntry> fields;
  SegmentEntry segment;
  for (const std::string& name : read_names(Handle(H5Gopen2(file, "/weft", H5P_DEFAULT)), "fields")) {
    fields.emplace_back().name = name;
    segment.fields.push_back(array_without_addresses(file, fmt::format("{}/{}", group, name)));
    if (segment.fields.back().shape.empty()) return {};
  }
  if (!read_rooms(file, group, fields, segment)) return {};
  FoundIndexes found = look_at_indexes(file, segment);
  return found.of_another_tool ? std::vector<IndexPlan>() : std::move(found.wrong);
}

Handle open_for_reading(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    ask_for_names(path);
    if (::stat(path.c_str(), &status) != 0) throw system_error(path, "cannot open", errno);
  }
  if (S_ISDIR(status.st_mode)) throw system_error(path, "cannot open", EISDIR);
  Handle file = open_read_only(path);
  if (!file.valid()) throw_not_opened(path, "check that it is a whole HDF5 file and readable");
  return file;
}

bool has_series(hid_t file) {
  return H5Lexists(file, "/weft", H5P_DEFAULT) > 0 && H5Lexists(file, "/weft/segments", H5P_DEFAULT) > 0;
}

ShownSteps shown_in_open_file(hid_t file) { return {dataset_length(file, "/time"), read_viewed(file)}; }

SeriesCatalog catalog_open_file(hid_t file, const std::string& path) {
  SeriesCatalog catalog;
  catalog.path = path;
  const auto damaged = [&](std::string_view what) {
    return Error(ErrorKind::data, path, what, "the file is damaged or not written by Weft");
  };
  if (!has_series(file)) {
    H5Eclear2(H5E_DEFAULT);
    throw Error(ErrorKind::data, path, "is HDF5, but not a Weft file",
                "it has no group /weft/segments; weft inspect shows what it holds");
  }
  check_begins_at_once(file, path);
  const Handle weft(check_hdf5(H5Gopen2(file, "/weft", H5P_DEFAULT), path, "cannot open /weft", ErrorKind::data));
  catalog.format_version = static_cast<std::uint64_t>(read_integer(weft, "format_version"));
  if (catalog.format_version > static_cast<std::uint64_t>(kFormatWithGaps)) {
    throw Error(ErrorKind::data, path,
                fmt::format("has format {}, this Weft reads up to {}", catalog.format_version, kFormatWithGaps),
                "use a newer Weft");
  }
  catalog.created_by = read_text(weft, "created_by");
  catalog.commit = array_entry(file, "/weft/commit");
  if (H5Lexists(file, "/weft/durable", H5P_DEFAULT) > 0) catalog.durable = array_entry(file, "/weft/durable");
  if (H5Lexists(file, "/weft/writer", H5P_DEFAULT) > 0) catalog.writer = array_entry(file, "/weft/writer");
  std::uint64_t first_step = 0;
  for (std::size_t number = 0;; ++number) {
    const std::string group = fmt::format("/weft/segments/{}", number);
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0) break;
    SegmentEntry segment;
    segment.first_step = first_step;
    if (number == 0) {
      for (const std::string& name : read_names(weft, "fields")) {
        FieldEntry field;
        field.name = name;
        const std::string dataset_path = fmt::format("{}/{}", group, name);
        const Handle dataset(
            check_hdf5(H5Dopen2(file, dataset_path.c_str(), H5P_DEFAULT), path, "field " + name, ErrorKind::data));
        field.units = read_text(dataset, "units");
        if (const auto filters = filters_of(Handle(H5Dget_create_plist(dataset))); !filters.empty()) {
          field.filter = to_text(filters);
          field.kept_bits = static_cast<unsigned>(std::max<std::int64_t>(0, read_integer(dataset, kKeptBits)));
        }
        field.rationale = read_text(dataset, "weft_layout");
        field.support = support_of(read_text(dataset, "weft_support"));
        field.components = read_names(dataset, "weft_components");
        field.component_units = read_names(dataset, "weft_component_units");
        if (field.component_units.size() != field.components.size()) field.component_units.clear();
        const std::string subset = read_text(dataset, "weft_subset");
        const std::vector<double> own_axes = read_numbers(dataset, "weft_node_axes");
        field.node_axes = own_axes.size() == 1 && own_axes[0] > 0 ? static_cast<std::size_t>(own_axes[0]) : 0;
        if (!subset.empty()) field.subset = subset == "first" ? Subset::first : Subset::listed;
        catalog.fields.push_back(field);
      }
      if (catalog.fields.empty() || catalog.fields[0].name != "time") throw damaged("has no step values");
    }
    for (FieldEntry& field : catalog.fields) {
      ArrayEntry array = array_without_addresses(file, group + "/" + field.name);
      if (array.shape.empty()) throw damaged("field " + field.name + " has no step axis");
      field.type = array.type;
      field.per_step.assign(array.shape.begin() + 1, array.shape.end());
      segment.fields.push_back(std::move(array));
    }
    if (number > 0 || !has_good_rooms(file, path, group, catalog.fields, segment)) {
      for (ArrayEntry& array : segment.fields) {
        array = array_entry(file, array.path);
        if (segment.steps != 0 && segment.steps != array.shape[0]) throw damaged("its fields have different lengths");
        segment.steps = array.shape[0];
      }
    }
    first_step += segment.steps;
    catalog.segments.push_back(std::move(segment));
  }
  if (catalog.segments.empty()) throw damaged("has no segments");
  // While the file is being made there is no top level yet.
  catalog.length = H5Lexists(file, "/time", H5P_DEFAULT) > 0 ? dataset_length(file, "/time") : catalog.capacity();
  catalog.viewed = read_viewed(file).value_or(0);
  catalog.grid = read_grid(file);
  catalog.in_pages = gives_space_in_pages(file);
  for (FieldEntry& field : catalog.fields) {
    const std::size_t on_grid = node_axes_of(field.per_step, field.support, catalog.grid);
    const std::size_t own = field.node_axes;  // as the attribute has it
    field.node_axes = on_grid > 0 && own > 0 && own <= field.per_step.size() ? own : on_grid;
  }
  for (const std::string& name : read_names(weft, "fixed_arrays"))
    catalog.fixed_arrays.push_back(array_entry(file, name));
  return catalog;
}

}  // namespace weft::storage
