// The axes of VTK's own temporal format: https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
// ("VTKHDF"). Meshes keep all steps of an array behind one another on axis 0 and say by offsets where each begins;
// grids have a step axis.
#include <fmt/format.h>

#include <algorithm>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/survey/axis_conventions.hpp"

namespace weft::survey {

namespace {

using storage::Handle;

// Where a dataset stands: /VTKHDF/mesh/PointData/V is V of PointData of the block /VTKHDF/mesh.
struct FlatRange {
  std::string block;
  std::string kind;  // "PointData", "CellData", "FieldData"; "" for the points and cells themselves
};

FlatRange place_of(const Candidate& candidate) {
  const std::string group = candidate.group();
  for (const char* kind : {"PointData", "CellData", "FieldData"}) {
    if (group.ends_with(std::string("/") + kind)) return {group.substr(0, group.rfind('/')), kind};
  }
  return {group, ""};
}

// How many steps a block has; 0 where it has no time.
std::uint64_t steps_of(hid_t file, const std::string& block) {
  const std::string path = block + "/Steps";
  if (!exists(file, path)) return 0;
  const Handle steps(H5Gopen2(file, path.c_str(), H5P_DEFAULT));
  if (!steps.valid()) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, storage::read_integer(steps, "NSteps")));
}

// What every step holds of an array whose steps begin at these offsets; 0 where they are not all alike. VTK's writer
// adds where the next step would begin.
std::uint64_t elements_a_step(hid_t file, const std::string& offsets, std::uint64_t steps, std::uint64_t elements) {
  const std::optional<Shape> extents = extents_at(file, offsets);
  if (elements % steps != 0 || !extents || (extents != Shape{steps} && extents != Shape{steps + 1})) return 0;
  const Handle dataset(H5Dopen2(file, offsets.c_str(), H5P_DEFAULT));
  std::vector<std::int64_t> values((*extents)[0]);
  if (H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return 0;
  const std::uint64_t each = elements / steps;
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (values[step] != static_cast<std::int64_t>(step * each)) return 0;
  }
  return each;
}

layout::Axes axes_of(std::size_t rank, std::string_view spatial) {
  AxisNames names;
  names.step("step");
  for (std::size_t axis = 1; axis < rank; ++axis) {
    if (axis == 1 && !spatial.empty()) {
      names.spatial(spatial);
    } else {
      names.component();
    }
  }
  return names.take();
}

// (step, z, y, x) and components.
layout::Axes grid_axes(std::size_t rank) {
  const std::size_t spatial = std::min<std::size_t>(3, rank - 1);
  constexpr std::string_view kGrid = "zyx";
  AxisNames names;
  names.step("step");
  for (std::size_t i = 0; i < spatial; ++i) names.spatial(kGrid.substr(kGrid.size() - spatial + i, 1));
  for (std::size_t axis = 1 + spatial; axis < rank; ++axis) names.component();
  return names.take();
}

}  // namespace

Verdict vtkhdf_axes(const Candidate& candidate) {
  if (!candidate.facts.path.starts_with("/VTKHDF/")) return {};
  KnownAxes known;
  known.convention = Convention::vtkhdf;
  known.shape = candidate.facts.shape;
  if (candidate.leaf() == "Values" && candidate.group().ends_with("/Steps")) {
    known.axes = layout::default_axes(1);
    return Verdict::steps(std::move(known));
  }
  const FlatRange place = place_of(candidate);
  const std::uint64_t steps = steps_of(candidate.file, place.block);
  if (steps == 0) return Verdict::no_steps();
  const Handle block(H5Gopen2(candidate.file, place.block.c_str(), H5P_DEFAULT));
  const std::vector<std::string> type = storage::read_texts(block, "Type");
  const bool grid = !type.empty() && type[0] == "ImageData" && !place.kind.empty() && place.kind != "FieldData";
  if (grid) {
    if (known.shape.size() < 2 || known.shape[0] != steps) return Verdict::no_steps();
    known.axes = grid_axes(known.shape.size());
  } else {
    std::string offsets = place.block + "/Steps/" + place.kind + "Offsets/" + candidate.leaf();
    if (place.kind.empty()) {
      if (candidate.leaf() != "Points") return Verdict::no_steps();
      offsets = place.block + "/Steps/PointOffsets";
    }
    const std::uint64_t each = elements_a_step(candidate.file, offsets, steps, known.shape[0]);
    if (each == 0) return Verdict::no_steps();
    known.form = Form::folded;
    known.shape[0] = each;
    known.shape.insert(known.shape.begin(), steps);
    const bool global = place.kind == "FieldData";
    known.axes = axes_of(known.shape.size(), global ? "" : place.kind == "CellData" ? "cell" : "node");
  }
  known.variables = {{candidate.leaf(), ""}};
  find_times(known, candidate.file, {place.block + "/Steps/Values"});
  return Verdict::steps(std::move(known));
}

}  // namespace weft::survey
