#include "weft/storage/top_level.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/dimensions.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/series_file.hpp"

namespace weft::storage {

namespace {

bool is_there(hid_t file, const std::string& path) { return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0; }

Handle open(hid_t file, const std::string& path) {
  return Handle(check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot open"));
}

// Whether this is a segment's dataset under another name: one over segments is virtual, and over none it is empty.
bool is_a_segments(hid_t file, const std::string& path) {
  const Handle properties(H5Dget_create_plist(open(file, path)));
  return H5Pget_layout(properties) != H5D_VIRTUAL && dataset_length(file, path) > 0;
}

// The time lists the datasets whose scale it is: those that go must not stay there, nor those that stay be there twice.
// Of virtual ones nothing stays.
void detach_time(hid_t file, const SeriesCatalog& catalog) {
  if (!is_there(file, "/time") || !is_a_segments(file, "/time")) return;
  const Handle time = open(file, "/time");
  for (const FieldEntry& field : catalog.fields) {
    const std::string name = "/" + field.name;
    if (name == "/time" || !is_there(file, name)) continue;
    const Handle dataset = open(file, name);
    if (H5DSis_attached(dataset, time, 0) > 0) {
      check_hdf5(H5DSdetach_scale(dataset, time, 0), name, "cannot be updated");
    }
  }
}

// The scales and labels of the axes behind the steps are the user's.
void move_scales(hid_t from, hid_t to, unsigned axes, const std::string& name) {
  for (unsigned axis = 1; axis < axes; ++axis) {
    std::vector<Handle> scales;
    const auto collect = [](hid_t, unsigned, hid_t scale, void* found) -> herr_t {
      H5Iinc_ref(scale);
      static_cast<std::vector<Handle>*>(found)->emplace_back(scale);
      return 0;
    };
    if (H5DSget_num_scales(from, axis) > 0) {
      check_hdf5(H5DSiterate_scales(from, axis, nullptr, collect, &scales), name, "cannot list its scales");
    }
    const ssize_t length = H5DSget_label(from, axis, nullptr, 0);
    std::string label(static_cast<std::size_t>(std::max<ssize_t>(0, length)) + 1, '\0');
    if (length > 0) H5DSget_label(from, axis, label.data(), label.size());
    for (const Handle& scale : scales) {
      check_hdf5(H5DSdetach_scale(from, scale, axis), name, "cannot be updated");
      check_hdf5(H5DSattach_scale(to, scale, axis), name, "cannot be given its scales again");
    }
    if (length > 0) check_hdf5(H5DSset_label(to, axis, label.c_str()), name, "cannot be given its labels again");
  }
}

void make_top(hid_t file, const SeriesCatalog& catalog, std::size_t f, std::uint64_t length, const std::string& name) {
  const std::string first = catalog.segments[0].fields[f].path;
  if (catalog.segments.size() == 1 && catalog.segments[0].steps == length) {
    check_hdf5(H5Lcreate_hard(file, first.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), name,
               "cannot link the dataset");
    return;
  }
  Shape shape{length};
  shape.insert(shape.end(), catalog.fields[f].per_step.begin(), catalog.fields[f].per_step.end());
  VirtualObject all{name, catalog.fields[f].type, shape, {}};
  for (const SegmentEntry& segment : catalog.segments) {
    if (segment.first_step >= length) break;
    const ArrayEntry& array = segment.fields[f];
    Box from = whole(array.shape);
    from.count[0] = std::min(segment.steps, length - segment.first_step);
    Box to = from;
    to.start[0] = segment.first_step;
    all.mappings.push_back({".", array.path, array.shape, Slab::of(from), Slab::of(to)});
  }
  make_objects(file, {all});
}

// A map as it is before its run ends: its shape and its attributes, and nothing but the fill value.
void empty_map(hid_t file, const SeriesCatalog& catalog, const std::string& path, SetAside& aside) {
  const std::string old = aside.take(path);
  {
    const Handle shown = open(file, old);
    const Handle properties(H5Dget_create_plist(shown));
    const Handle type(H5Dget_type(shown));
    const Handle space(H5Dget_space(shown));
    const Handle empty(H5Pcreate(H5P_DATASET_CREATE));
    if (catalog.has_rooms()) {
      const std::vector<hsize_t> chunk(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)), 1);
      check_hdf5(H5Pset_chunk(empty, static_cast<int>(chunk.size()), chunk.data()), path, "cannot be updated");
    } else {
      check_hdf5(H5Pset_layout(empty, H5D_VIRTUAL), path, "cannot be updated");
    }
    std::vector<std::byte> fill(H5Tget_size(type));
    if (H5Pget_fill_value(properties, type, fill.data()) >= 0) H5Pset_fill_value(empty, type, fill.data());
    create_dataset(file, path, type, space, empty);
  }
  copy_attributes(file, old, path);
  write_attribute(open(file, path), "steps", std::int64_t{0});
}

// The dimension `name` as an open scale; invalid where something else has its name.
Handle scale_of(hid_t file, const Dimension& dimension) {
  const std::string path = "/" + dimension.name;
  if (is_there(file, path)) {
    Handle there(H5Oopen(file, path.c_str(), H5P_DEFAULT));
    return H5Iget_type(there) == H5I_DATASET && H5DSis_scale(there) > 0 ? std::move(there) : Handle();
  }
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const Handle space = simple_space({dimension.extent});
  if (!dimension.coordinates) {
    // As netCDF-4 marks a dimension without a variable: a scale of this name, which is never given space.
    Handle scale = create_dataset(file, path, H5T_IEEE_F32BE, space, properties);
    make_scale(scale, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", dimension.extent));
    return scale;
  }
  Handle scale = create_dataset(file, path, H5T_NATIVE_DOUBLE, space, properties);
  check_hdf5(H5Dwrite(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, dimension.coordinates->data()), path,
             "cannot be written");
  std::string axis = dimension.name.substr(0, 1);
  axis[0] = static_cast<char>(axis[0] - 'a' + 'A');
  write_attribute(scale, "axis", axis);  // CF
  make_scale(scale, dimension.name);
  return scale;
}

// Every axis behind the steps has a scale. Those that somebody else attached stay.
void attach_dimensions(hid_t file, const SeriesCatalog& catalog) {
  const Dimensions dimensions = dimensions_of(catalog);
  for (std::size_t f = 1; f < catalog.fields.size(); ++f) {
    const Handle dataset = open(file, "/" + catalog.fields[f].name);
    for (std::size_t axis = 0; axis < dimensions.axes[f].size(); ++axis) {
      const auto number = static_cast<unsigned>(axis + 1);
      if (H5DSget_num_scales(dataset, number) > 0) continue;
      const Dimension& dimension = dimensions.all[dimensions.axes[f][axis]];
      const Handle scale = scale_of(file, dimension);
      if (scale.valid()) attach_scale(dataset, scale, number, dimension.name);
    }
  }
}

}  // namespace

void link_top_level(hid_t file, const SeriesCatalog& catalog, std::uint64_t length, SetAside& aside) {
  detach_time(file, catalog);
  for (std::size_t f = 0; f < catalog.fields.size(); ++f) {
    const std::string name = "/" + catalog.fields[f].name;
    const std::string old = aside.take(name);
    make_top(file, catalog, f, length, name);
    const std::string source = !old.empty() ? old : catalog.segments[0].fields[f].path;
    if (!is_a_segments(file, source) || !is_a_segments(file, name)) {  // else both are the same one
      copy_attributes(file, source, name);
      const auto axes = static_cast<unsigned>(catalog.fields[f].per_step.size() + 1);
      move_scales(open(file, source), open(file, name), axes, name);
    }
  }
  const Handle time = open(file, "/time");
  make_scale(time, "time");
  for (std::size_t f = 1; f < catalog.fields.size(); ++f) {
    attach_scale(open(file, "/" + catalog.fields[f].name), time, 0, "time");
  }
  attach_dimensions(file, catalog);
}

std::vector<IndexPlan> make_view(hid_t file, const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view,
                                 SetAside& aside) {
  std::vector<IndexPlan> indexes;
  if (!view) return indexes;
  const ObjectPlan plan = view(catalog, steps);
  for (const std::string made : {"/VTKHDF", "/weft/view"}) {
    aside.take(made);
    aside.take(std::string(kChecksumsGroup) + made);
  }
  for (const Object& object : plan) {
    const std::string& path = path_of(object);
    // Groups stay, with the maps that are not made anew.
    if (path.starts_with("/maps/") && !std::holds_alternative<GroupObject>(object)) aside.take(path);
  }
  for (const Object& object : plan) {
    const auto* map = std::get_if<VirtualObject>(&object);
    if (map == nullptr || !catalog.has_rooms() || !map->path.starts_with("/maps/")) {
      make_objects(file, {object});
    } else if (const auto index = create_rows(file, *map)) {
      indexes.push_back(*index);
    }
  }
  return indexes;
}

void empty_maps_beyond(hid_t file, const SeriesCatalog& catalog, std::uint64_t steps, SetAside& aside) {
  for (const MapAge& one : map_ages(file, catalog)) {
    if (one.steps > steps) empty_map(file, catalog, one.path, aside);
  }
}

std::vector<MapAge> map_ages(hid_t file, const SeriesCatalog& catalog) {
  const std::string folder = "/weft";
  std::vector<MapAge> ages;
  for (const ArrayEntry& array : catalog.fixed_arrays) {
    if (!array.path.starts_with(folder + "/maps/")) continue;
    const std::string path = array.path.substr(folder.size());
    if (!is_there(file, "/maps") || !is_there(file, path.substr(0, path.rfind('/'))) || !is_there(file, path)) continue;
    ages.push_back(
        {path, static_cast<std::uint64_t>(std::max<std::int64_t>(0, read_integer(open(file, path), "steps")))});
  }
  return ages;
}

}  // namespace weft::storage
