#include "weft/view/vtkhdf.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

namespace weft::view {

namespace {

using storage::ArrayObject;
using storage::Attributes;
using storage::ConstantObject;
using storage::FixedText;
using storage::GroupObject;
using storage::HardLink;
using storage::Slab;
using storage::VirtualObject;

constexpr const char* kRoot = "/VTKHDF";

// A dataset that shows the field's steps one behind the other, in `shape`, whose first extent is steps * `pitch`:
// every step fills the first `filled` of `pitch` entries (all of them, where the field is on the whole mesh).
VirtualObject steps_in_a_row(const std::string& path, DataType type, const std::vector<Stretch>& stretches,
                             std::uint64_t steps, std::uint64_t pitch, std::uint64_t filled, const Shape& rest) {
  VirtualObject object{path, type, {steps * pitch}, {}};
  object.shape.insert(object.shape.end(), rest.begin(), rest.end());
  std::uint64_t first = 0;
  for (const Stretch& stretch : stretches) {
    const std::uint64_t count = stretch.box.count[0];
    Slab to{{first * pitch}, {1}, {count * pitch}, {1}};
    if (filled != pitch) to = {{first * pitch}, {pitch}, {count}, {filled}};
    for (const std::uint64_t extent : rest) {
      to.start.push_back(0);
      to.stride.push_back(1);
      to.count.push_back(extent);
      to.block.push_back(1);
    }
    object.mappings.push_back(
        {stretch.file, stretch.dataset, stretch.stored_shape(), Slab::of(stretch.stored_box()), to});
    first += count;
  }
  return object;
}

// Whether the view may simply be another name of the dataset.
bool is_whole(const std::vector<Stretch>& stretches, std::uint64_t steps) {
  return stretches.size() == 1 && stretches[0].file == "." && stretches[0].box == whole(stretches[0].shape) &&
         stretches[0].shape[0] == steps;
}

class Writer {
 public:
  Writer(const View& view, std::string root) : view_(view), root_(std::move(root)) {}

  storage::ObjectPlan block(const Block& block, Attributes attributes) {
    attributes["Version"] = std::vector<std::int64_t>{2, 0};
    attributes["Type"] = FixedText{block.grid ? "ImageData" : "UnstructuredGrid"};
    if (block.grid) add_grid(*block.grid, attributes);
    add(GroupObject{root_, attributes});
    add(GroupObject{root_ + "/Steps", {{"NSteps", static_cast<std::int64_t>(view_.steps)}}});
    add_times();
    if (block.unstructured) add_mesh(*block.unstructured);
    for (const ViewField& field : block.fields) add_field(field, block);
    for (const MapRow& map : block.maps) add_map(map, block);
    for (const ViewField& field : view_.globals) add_global(field);
    return std::move(plan_);
  }

 private:
  void add(storage::Object object) { plan_.push_back(std::move(object)); }

  void add_times() {
    const std::string path = root_ + "/Steps/Values";
    if (is_whole({view_.times}, view_.steps)) {
      add(HardLink{path, view_.times.dataset});
    } else {
      add(steps_in_a_row(path, DataType::float64, {view_.times}, view_.steps, 1, 1, {}));
    }
  }

  static void add_grid(const storage::RegularGrid& grid, Attributes& attributes) {
    std::vector<std::int64_t> extent;
    for (std::size_t axis = 0; axis < 3; ++axis) {  // x first; a grid of two axes has one layer
      const std::size_t axes = grid.shape.size();
      extent.push_back(0);
      extent.push_back(axis < axes ? static_cast<std::int64_t>(grid.shape[axes - 1 - axis]) - 1 : 0);
    }
    attributes["WholeExtent"] = extent;
    attributes["Origin"] = std::vector<double>(grid.origin.begin(), grid.origin.end());
    attributes["Spacing"] = std::vector<double>(grid.spacing.begin(), grid.spacing.end());
    attributes["Direction"] = std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1};
  }

  void add_mesh(const Unstructured& mesh) {
    const auto count = [&](const char* name, std::uint64_t value) {
      add(storage::array_of<std::int64_t>(root_ + name, {1}, {static_cast<std::int64_t>(value)}));
    };
    count("/NumberOfPoints", mesh.points);
    count("/NumberOfCells", mesh.cells);
    count("/NumberOfConnectivityIds", mesh.corners);
    add(HardLink{root_ + "/Points", mesh.points_path});
    if (mesh.cells > 0) {
      add(HardLink{root_ + "/Connectivity", mesh.connectivity_path});
      add(HardLink{root_ + "/Offsets", mesh.offsets_path});
      add(HardLink{root_ + "/Types", mesh.types_path});
    } else {
      add(ArrayObject{root_ + "/Connectivity", DataType::int64, {0}, {}});
      add(storage::array_of<std::int64_t>(root_ + "/Offsets", {1}, {0}));
      add(ArrayObject{root_ + "/Types", DataType::uint8, {0}, {}});
    }
    const std::string steps = root_ + "/Steps";
    add(ConstantObject{steps + "/PartOffsets", {view_.steps}, 0});
    add(ConstantObject{steps + "/NumberOfParts", {view_.steps}, 1});
    add(HardLink{steps + "/PointOffsets", steps + "/PartOffsets"});
    add(ConstantObject{steps + "/CellOffsets", {view_.steps, 1}, 0});
    add(HardLink{steps + "/ConnectivityIdOffsets", steps + "/CellOffsets"});
  }

  // Where each step begins in a field's array: one dataset for all fields that have `pitch` entries a step.
  void add_offsets(const std::string& path, std::uint64_t pitch) {
    const auto [known, is_new] = offsets_.try_emplace(pitch, path);
    if (!is_new) {
      add(HardLink{path, known->second});
      return;
    }
    std::vector<std::int64_t> offsets(view_.steps);
    for (std::uint64_t step = 0; step < view_.steps; ++step) offsets[step] = static_cast<std::int64_t>(step * pitch);
    add(storage::array_of<std::int64_t>(path, {view_.steps}, offsets));
  }

  void add_field(const ViewField& field, const Block& block) {
    const bool on_cells = field.support == storage::Support::cells;
    const std::string kind = on_cells ? "/CellData" : "/PointData";
    const std::string path = root_ + kind + "/" + field.name;
    const std::string offsets = root_ + "/Steps" + kind + "Offsets/" + field.name;
    const Shape rest = field.components == 1 ? Shape{} : Shape{field.components};
    if (block.grid) {
      add_on_grid(field, *block.grid, path, rest);
      add_offsets(offsets, 1);  // the step is an axis of its own there
      return;
    }
    const std::uint64_t pitch = on_cells ? block.unstructured->cells : block.unstructured->points;
    add(steps_in_a_row(path, field.type, field.stretches, view_.steps, pitch, field.points, rest));
    add_offsets(offsets, pitch);
  }

  void add_on_grid(const ViewField& field, const storage::RegularGrid& grid, const std::string& path,
                   const Shape& rest) {
    Shape shape{view_.steps};
    shape.insert(shape.end(), grid.shape.begin(), grid.shape.end());
    shape.insert(shape.end(), rest.begin(), rest.end());
    if (is_whole(field.stretches, view_.steps) && field.stretches[0].shape == shape) {
      add(HardLink{path, field.stretches[0].dataset});
      return;
    }
    VirtualObject object{path, field.type, shape, {}};
    std::uint64_t first = 0;
    for (const Stretch& stretch : field.stretches) {
      Box to = whole(shape);
      to.start[0] = first;
      to.count[0] = stretch.box.count[0];
      object.mappings.push_back(
          {stretch.file, stretch.dataset, stretch.stored_shape(), Slab::of(stretch.stored_box()), Slab::of(to)});
      first += stretch.box.count[0];
    }
    add(object);
  }

  // Every step begins at the same place: on a grid the first step of one, on a mesh its first point.
  void add_map(const MapRow& map, const Block& block) {
    Shape shape = block.grid ? block.grid->shape : Shape{block.unstructured->points};
    if (block.grid) shape.insert(shape.begin(), 1);
    VirtualObject object{root_ + "/PointData/" + map.name, map.type, shape, {}};
    object.fill = map.fill;
    object.mappings.push_back({".", map.dataset, map.shape, Slab::of(map.box), Slab::of(whole(shape))});
    add(std::move(object));
    add(ConstantObject{root_ + "/Steps/PointDataOffsets/" + map.name, {view_.steps}, 0});
  }

  // A value, or a small array, of each step.
  void add_global(const ViewField& field) {
    const std::string path = root_ + "/FieldData/" + field.name;
    if (is_whole(field.stretches, view_.steps) && field.stretches[0].shape.size() == 1) {
      add(HardLink{path, field.stretches[0].dataset});
    } else {
      add(steps_in_a_row(path, field.type, field.stretches, view_.steps, field.points, field.points, {}));
    }
    add_offsets(root_ + "/Steps/FieldDataOffsets/" + field.name, field.points);
    const std::string sizes = root_ + "/Steps/FieldDataSizes/" + field.name;  // components, tuples
    if (field.points == 1) {
      add(ConstantObject{sizes, {view_.steps, 2}, 1});
      return;
    }
    std::vector<std::int64_t> pairs;
    for (std::uint64_t step = 0; step < view_.steps; ++step) {
      pairs.push_back(1);
      pairs.push_back(static_cast<std::int64_t>(field.points));
    }
    add(storage::array_of<std::int64_t>(sizes, {view_.steps, 2}, pairs));
  }

  const View& view_;
  std::string root_;
  storage::ObjectPlan plan_;
  std::map<std::uint64_t, std::string> offsets_;  // by entries a step: the dataset made for it
};

}  // namespace

storage::ObjectPlan vtkhdf_objects(const View& view) {
  if (view.blocks.empty() || view.steps == 0) return {};
  storage::ObjectPlan plan = view.mesh_objects;
  const auto append = [&](storage::ObjectPlan part) {
    plan.insert(plan.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  };
  if (view.blocks.size() == 1) {
    append(Writer(view, kRoot).block(view.blocks[0], {}));
    return plan;
  }
  // VTK lists the blocks in the order in which they were made.
  plan.emplace_back(
      GroupObject{kRoot,
                  {{"Version", std::vector<std::int64_t>{2, 1}}, {"Type", FixedText{"PartitionedDataSetCollection"}}},
                  true});
  const std::string assembly = std::string(kRoot) + "/Assembly";
  plan.emplace_back(GroupObject{assembly, {}, true});
  for (std::size_t i = 0; i < view.blocks.size(); ++i) {
    const std::string& name = view.blocks[i].name;
    const std::string root = std::string(kRoot) + "/" + name;
    append(Writer(view, root).block(view.blocks[i], {{"Index", static_cast<std::int64_t>(i)}}));
    plan.emplace_back(storage::SoftLink{fmt::format("{}/{}", assembly, name), root});
  }
  return plan;
}

}  // namespace weft::view
