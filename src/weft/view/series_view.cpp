#include "weft/view/series_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "weft/view/submesh.hpp"

namespace weft::view {

namespace {

using storage::ArrayEntry;
using storage::FieldEntry;
using storage::SeriesCatalog;
using storage::Subset;
using storage::Support;

std::uint64_t product(std::span<const std::uint64_t> extents) {
  return element_count({extents.begin(), extents.end()});
}

bool is_floating(DataType type) { return type == DataType::float32 || type == DataType::float64; }

// The first `steps` steps of a field in its segments; of component `component` where one is named. A step's shape is
// `lead` axes of the mesh or grid, then those of the components.
std::vector<Stretch> stretches_of(const SeriesCatalog& catalog, std::size_t field, std::uint64_t steps,
                                  std::size_t lead, std::optional<std::uint64_t> component) {
  std::vector<Stretch> stretches;
  for (const storage::SegmentEntry& segment : catalog.segments) {
    if (segment.first_step >= steps) break;
    const ArrayEntry& array = segment.fields[field];
    Stretch stretch{".", array.path, array.shape, whole(array.shape)};
    stretch.box.count[0] = std::min(segment.steps, steps - segment.first_step);
    // A dataset that can get more room may end before its room does, at the last step that is shown.
    if (catalog.has_rooms()) stretch.shape[0] = stretch.box.count[0];
    std::uint64_t rest = component.value_or(0);
    for (std::size_t axis = array.shape.size(); component && axis-- > 1 + lead;) {
      stretch.box.start[axis] = rest % array.shape[axis];
      stretch.box.count[axis] = 1;
      rest /= array.shape[axis];
    }
    stretches.push_back(std::move(stretch));
  }
  return stretches;
}

// The name of a field, or of a component, as one of an HDF5 object.
std::string as_hdf5_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

// The field's components as the viewer shows them.
std::vector<ViewField> shown(const SeriesCatalog& catalog, std::size_t number, std::uint64_t steps, std::size_t lead) {
  const FieldEntry& field = catalog.fields[number];
  const std::span<const std::uint64_t> axes(field.per_step);
  ViewField one{as_hdf5_name(field.name),
                field.type,
                field.support,
                product(axes.first(lead)),
                product(axes.subspan(lead)),
                field.units,
                {}};
  const bool together = field.components.empty() && (one.components == 1 || one.components == 3 || one.components == 9);
  if (together) {
    // Components along two axes (a 3 x 3 tensor) lie in VTK's order already.
    one.stretches = stretches_of(catalog, number, steps, lead, std::nullopt);
    return {one};
  }
  std::vector<ViewField> fields;
  for (std::uint64_t c = 0; c < one.components; ++c) {
    ViewField part = one;
    part.components = 1;
    part.name = as_hdf5_name(c < field.components.size() ? field.components[c] : fmt::format("{}_{}", field.name, c));
    if (c < field.component_units.size()) part.units = field.component_units[c];
    part.stretches = stretches_of(catalog, number, steps, lead, c);
    fields.push_back(std::move(part));
  }
  return fields;
}

template <typename T>
std::vector<T> values_of(const SeriesCatalog& catalog, const std::string& path, const ArrayReader& read) {
  const ArrayEntry* array = catalog.find_fixed(path);
  if (array == nullptr) return {};
  const std::vector<std::byte> bytes = read(*array);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// Arrays of a mesh that the file has not yet, in this folder.
Unstructured add_mesh(const Mesh& mesh, const std::string& folder, storage::ObjectPlan& objects) {
  Unstructured shown = Unstructured::in(folder);
  shown.points = mesh.points.size() / 3;
  shown.cells = mesh.cells.types.size();
  shown.corners = mesh.cells.connectivity.size();
  objects.emplace_back(storage::array_of(shown.points_path, {shown.points, 3}, mesh.points));
  if (shown.cells == 0) return shown;
  objects.emplace_back(storage::array_of(shown.connectivity_path, {shown.corners}, mesh.cells.connectivity));
  objects.emplace_back(storage::array_of(shown.offsets_path, {shown.cells + 1}, mesh.cells.offsets));
  objects.emplace_back(storage::array_of(shown.types_path, {shown.cells}, mesh.cells.types));
  return shown;
}

std::string block_name(const FieldEntry& field) { return "nodes_of_" + field.name; }

// The mesh in this folder of the file, if there is one.
std::optional<Unstructured> mesh_in(const SeriesCatalog& catalog, const std::string& folder) {
  Unstructured mesh = Unstructured::in(folder);
  const ArrayEntry* points = catalog.find_fixed(mesh.points_path);
  if (points == nullptr) return std::nullopt;
  mesh.points = points->shape.at(0);
  const ArrayEntry* types = catalog.find_fixed(mesh.types_path);
  const ArrayEntry* corners = catalog.find_fixed(mesh.connectivity_path);
  if (types != nullptr) mesh.cells = types->shape.at(0);
  if (corners != nullptr) mesh.corners = corners->shape.at(0);
  return mesh;
}

// The block of a field that stands on listed nodes and has no mesh in the file: it is copied out of the whole one,
// under /weft/view.
Block block_of_subset(View& view, const SeriesCatalog& catalog, std::size_t number, const ArrayReader& read) {
  const FieldEntry& field = catalog.fields[number];
  const auto nodes = values_of<std::int64_t>(catalog, "/weft/subsets/" + field.name, read);
  const auto points = values_of<double>(catalog, "/mesh/points", read);
  Cells all{values_of<std::int64_t>(catalog, "/mesh/offsets", read),
            values_of<std::int64_t>(catalog, "/mesh/connectivity", read),
            values_of<std::uint8_t>(catalog, "/mesh/types", read)};
  Mesh part{{}, cells_among(nodes, points.size() / 3, all)};
  part.points.reserve(3 * nodes.size());
  for (const std::int64_t node : nodes) {
    const auto at = points.begin() + 3 * static_cast<std::ptrdiff_t>(node);
    part.points.insert(part.points.end(), at, at + 3);
  }
  const Unstructured mesh = add_mesh(part, "/weft/view/" + field.name, view.mesh_objects);
  return {block_name(field), mesh, std::nullopt, shown(catalog, number, view.steps, 1)};
}

// Whether a field on some of the nodes or cells is shown on the whole mesh, NaN elsewhere.
bool fills_with_nan(Subset subset, DataType type) { return subset == Subset::first && is_floating(type); }

class Builder {
 public:
  Builder(const SeriesCatalog& catalog, std::uint64_t steps, const ArrayReader& read, const Mesh* named)
      : catalog_(catalog), read_(read), named_(named) {
    view_.steps = steps;
  }

  View build() {
    const auto times = stretches_of(catalog_, 0, view_.steps, 0, std::nullopt);
    // One dataset for all steps, whatever the segments: the top-level one shows them as one.
    view_.times = {".", "/time", {catalog_.length}, Box{{0}, {view_.steps}}};
    if (catalog_.length < view_.steps && times.size() == 1) view_.times = times[0];
    Block main{"mesh", std::nullopt, std::nullopt, {}};
    if (named_ != nullptr) {
      main.unstructured = add_mesh(*named_, "/mesh", view_.mesh_objects);
    } else if (!catalog_.grid.shape.empty()) {
      main.grid = catalog_.grid;
    } else {
      main.unstructured = mesh_in(catalog_, "/mesh");
    }
    if (!main.grid && !main.unstructured) {
      view_.left_out.emplace_back("every field: the file has no mesh");
      return std::move(view_);
    }
    view_.blocks.push_back(std::move(main));
    for (std::size_t f = 1; f < catalog_.fields.size(); ++f) place(f);
    return std::move(view_);
  }

 private:
  void leave_out(const FieldEntry& field, const std::string& why) { view_.left_out.push_back(field.name + ": " + why); }

  // Names are the viewer's, so two may meet that are apart in the file: V_0, and component 0 of V.
  static void add(std::vector<ViewField> fields, std::vector<ViewField>& to) {
    for (ViewField& field : fields) {
      const auto is_taken = [&](const ViewField& other) {
        return other.name == field.name && other.support == field.support;
      };
      while (std::any_of(to.begin(), to.end(), is_taken)) field.name += "_";
      to.push_back(std::move(field));
    }
  }

  void place(std::size_t number) {
    const FieldEntry& field = catalog_.fields[number];
    Block& main = view_.blocks[0];
    if (field.support == Support::global) {
      ViewField one{as_hdf5_name(field.name),
                    field.type,
                    field.support,
                    element_count(field.per_step),
                    1,
                    field.units,
                    stretches_of(catalog_, number, view_.steps, 0, std::nullopt)};
      view_.globals.push_back(std::move(one));
    } else if (main.grid) {
      const Shape& grid = main.grid->shape;
      const bool fits = field.support == Support::nodes && places_of(field) == grid;
      if (!fits)
        return leave_out(field, fmt::format("steps of {} on a grid of {}", to_string(field.per_step), to_string(grid)));
      add(shown(catalog_, number, view_.steps, grid.size()), main.fields);
    } else if (field.node_axes > 1) {
      leave_out(field, fmt::format("steps of {} on a mesh", to_string(field.per_step)));
    } else if (field.subset == Subset::all || fills_with_nan(field.subset, field.type)) {
      const bool on_cells = field.support == Support::cells;
      const std::uint64_t all = on_cells ? main.unstructured->cells : main.unstructured->points;
      const std::uint64_t has = field.per_step.at(0);
      if (field.subset == Subset::all ? has != all : has > all) {
        return leave_out(field, fmt::format("{} {} a step on a mesh of {}", has, name_of(field.support), all));
      }
      add(shown(catalog_, number, view_.steps, 1), main.fields);
    } else if (field.support == Support::cells) {
      leave_out(field, "stands on some of the cells only");
    } else if (const auto own = named_ == nullptr ? mesh_in(catalog_, folder_of_mesh(field.name)) : std::nullopt) {
      view_.blocks.push_back({block_name(field), own, std::nullopt, shown(catalog_, number, view_.steps, 1)});
    } else if (!read_) {
      leave_out(field, "stands on some of the nodes only");
    } else {
      Block block = block_of_subset(view_, catalog_, number, read_);
      view_.blocks.push_back(std::move(block));
    }
  }

  const SeriesCatalog& catalog_;
  const ArrayReader& read_;
  const Mesh* named_;
  View view_;
};

}  // namespace

ArrayReader reader_of(storage::ByteStore& store) {
  return [&store](const ArrayEntry& array) {
    std::vector<std::byte> bytes(element_count(array.shape) * size_of(array.type));
    store.read_at(array.address(), storage::MutableBytes(bytes));
    return bytes;
  };
}

View series_view(const SeriesCatalog& catalog, std::uint64_t steps, const ArrayReader& read, const Mesh* named) {
  return Builder(catalog, steps, read, named).build();
}

bool needs_own_mesh(Support support, Subset subset, DataType type) {
  return support == Support::nodes && subset != Subset::all && !fills_with_nan(subset, type);
}

std::string folder_of_mesh(const std::string& field) { return "/weft/meshes/" + field; }

}  // namespace weft::view
