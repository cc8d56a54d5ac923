#include "weft/view/map_view.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/hdf5_handle.hpp"

namespace weft::view {

namespace {

constexpr std::string_view kShown = "/maps/";
constexpr std::string_view kRows = "/weft/maps/";

// "/maps/V/peak" -> "V_peak".
std::string shown_name(const std::string& path) {
  std::string name = path.substr(kShown.size());
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

Shape places_of(const Block& block) { return block.grid ? block.grid->shape : Shape{block.unstructured->points}; }

std::string free_name(const Block& block, std::string name) {
  const auto is_taken = [&](const ViewField& field) {
    return field.name == name && field.support == storage::Support::nodes;
  };
  while (std::any_of(block.fields.begin(), block.fields.end(), is_taken)) name += "_";
  return name;
}

void add_rows(Block& block, const storage::VirtualObject& map) {
  const Shape places = places_of(block);
  if (map.mappings.size() != 1 || map.shape.size() < places.size()) return;
  const bool has_rows = map.shape.size() == places.size() + 1;
  if (!std::equal(places.rbegin(), places.rend(), map.shape.rbegin())) return;
  const storage::Mapping& mapping = map.mappings[0];
  const std::uint64_t rows = has_rows ? mapping.from.count[0] : 1;  // the first ones: those that were reached
  for (std::uint64_t row = 0; row < rows; ++row) {
    MapRow shown{free_name(block, shown_name(map.path) + (rows > 1 ? "_" + std::to_string(row + 1) : "")),
                 map.type,
                 mapping.source,
                 mapping.source_shape,
                 whole(mapping.source_shape),
                 map.fill};
    if (has_rows) {
      shown.box.start[0] = row;
      shown.box.count[0] = 1;
    }
    block.maps.push_back(std::move(shown));
  }
}

std::optional<double> fill_of(hid_t properties) {
  double fill = 0;
  H5D_fill_value_t kind = H5D_FILL_VALUE_UNDEFINED;
  if (H5Pfill_value_defined(properties, &kind) < 0 || kind != H5D_FILL_VALUE_USER_DEFINED) return std::nullopt;
  if (H5Pget_fill_value(properties, H5T_NATIVE_DOUBLE, &fill) < 0) return std::nullopt;
  return fill;
}

// Of a map that another tool copied together with its fill values: as many rows as a node has beats at most. 0 where it
// has no chunk.
std::uint64_t rows_of_copy(hid_t dataset, const storage::ArrayEntry& array) {
  const storage::Handle space(H5Dget_space(dataset));
  hsize_t chunks = 0;
  if (H5Dget_num_chunks(dataset, space, &chunks) < 0 || chunks == 0) return 0;
  if (array.shape.size() == 1) return 1;
  const storage::Handle file(H5Iget_file_id(dataset));
  const std::string beats = array.path.substr(0, array.path.rfind('/')) + "/beats";
  const storage::Handle counts(H5Dopen2(file, beats.c_str(), H5P_DEFAULT));
  std::vector<std::int64_t> found(array.shape.back());
  if (!counts.valid() || H5Dread(counts, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) < 0) return 0;
  const std::int64_t most = found.empty() ? 0 : *std::max_element(found.begin(), found.end());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, most));
}

// Of a dataset that shows the first rows of another: how many. 0 where it shows nothing.
std::uint64_t rows_of_map(hid_t dataset, hid_t properties, const storage::ArrayEntry& array) {
  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    const std::uint64_t rows = storage::rows_shown(dataset, array);
    return rows > 0 ? rows : rows_of_copy(dataset, array);
  }
  std::size_t sources = 0;
  if (H5Pget_layout(properties) != H5D_VIRTUAL || H5Pget_virtual_count(properties, &sources) < 0 || sources == 0) {
    return 0;
  }
  const storage::Handle space(H5Pget_virtual_srcspace(properties, 0));
  std::array<hsize_t, H5S_MAX_RANK> first{};
  std::array<hsize_t, H5S_MAX_RANK> last{};
  return H5Sget_select_bounds(space, first.data(), last.data()) < 0 ? 0 : last[0] - first[0] + 1;
}

}  // namespace

void add_maps(View& view, const storage::ObjectPlan& objects) {
  if (view.blocks.empty()) return;
  for (const storage::Object& object : objects) {
    const auto* map = std::get_if<storage::VirtualObject>(&object);
    if (map != nullptr && map->path.starts_with(kShown)) add_rows(view.blocks[0], *map);
  }
}

storage::ObjectPlan maps_in(const std::string& path, const storage::SeriesCatalog& catalog) {
  const auto is_map = [](const storage::ArrayEntry& array) { return array.path.starts_with(kRows); };
  if (std::none_of(catalog.fixed_arrays.begin(), catalog.fixed_arrays.end(), is_map)) return {};
  const storage::QuietHdf5 quiet;
  const storage::Handle file = storage::open_read_only(path);
  if (!file.valid()) storage::throw_not_opened(path, "it is damaged");
  storage::ObjectPlan plan;
  for (const storage::ArrayEntry& array : catalog.fixed_arrays) {
    if (!is_map(array)) continue;
    const std::string shown = std::string(kShown) + array.path.substr(kRows.size());
    const storage::Handle dataset(
        storage::check_hdf5(H5Dopen2(file, shown.c_str(), H5P_DEFAULT), shown, "cannot be opened", ErrorKind::data));
    const storage::Handle space(H5Dget_space(dataset));
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    storage::VirtualObject object{shown, array.type, {extents.begin(), extents.begin() + std::max(rank, 0)}, {}};
    const storage::Handle properties(H5Dget_create_plist(dataset));
    object.fill = fill_of(properties);
    if (const std::uint64_t rows = rows_of_map(dataset, properties, array); rows > 0) {
      Box from = whole(array.shape);
      if (array.shape.size() > 1) from.count[0] = std::min(rows, array.shape[0]);
      object.mappings.push_back({".", array.path, array.shape, storage::Slab::of(from), {}});
    }
    plan.emplace_back(std::move(object));
  }
  return plan;
}

}  // namespace weft::view
