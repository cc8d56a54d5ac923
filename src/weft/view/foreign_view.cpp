#include "weft/view/foreign_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "weft/layout/axes.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/storage/recording.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/vtkhdf.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft::view {

namespace {

using layout::AxisRole;
using storage::ArrayObject;
using storage::Recording;

// "steps, nodes, then components" is what a virtual dataset can show in VTK's order.
void check_axes(const Recording& recording, const std::string& text) {
  const layout::Axes axes = layout::parse_axes(text, recording.shape.size());
  bool fits = axes[0].role == AxisRole::step && axes[1].role == AxisRole::spatial;
  for (std::size_t i = 2; i < axes.size(); ++i) fits = fits && axes[i].role == AxisRole::component;
  if (fits) return;
  throw Error(ErrorKind::usage, recording.file,
              fmt::format("{} with axes {} cannot be shown without copying it", recording.dataset, text),
              "a view takes the step first, then the node, then components");
}

Unstructured add_mesh(const Mesh& mesh, storage::ObjectPlan& objects) {
  Unstructured shown;
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

// One field a variable, or the whole row as a vector where nothing is said of its parts.
std::vector<ViewField> fields_of(const Recording& recording, const std::string& source) {
  const Shape& shape = recording.shape;
  const std::string name = recording.dataset.substr(recording.dataset.rfind('/') + 1);
  std::uint64_t components = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) components *= shape[i];
  ViewField field{name, recording.type, storage::Support::nodes, shape[1], components, "", {}};
  const Stretch all{source, recording.dataset, shape, whole(shape)};
  if (recording.variables.empty() && (components == 1 || components == 3 || components == 9)) {
    field.stretches = {all};
    return {field};
  }
  std::vector<ViewField> fields;
  for (std::uint64_t c = 0; c < components; ++c) {
    ViewField part = field;
    part.components = 1;
    part.name = recording.variables.empty() ? fmt::format("{}_{}", name, c) : recording.variables[c].name;
    std::replace(part.name.begin(), part.name.end(), '/', '_');  // it becomes a name in HDF5
    part.units = recording.variables.empty() ? "" : recording.variables[c].units;
    Stretch stretch = all;
    std::uint64_t rest = c;
    for (std::size_t axis = shape.size(); axis-- > 2;) {
      stretch.box.start[axis] = rest % shape[axis];
      stretch.box.count[axis] = 1;
      rest /= shape[axis];
    }
    part.stretches = {stretch};
    fields.push_back(std::move(part));
  }
  return fields;
}

}  // namespace

RecordedView recorded_view(const ForeignFile& file) {
  RecordedView shown;
  Recording& recording = shown.recording;
  recording = storage::find_recording(file.from);
  check_axes(recording, file.axes);
  if (file.time) recording = storage::find_recording(file.from, file.time);
  if (file.mesh.empty()) {
    throw Error(ErrorKind::usage, recording.file, "no mesh is named to show its nodes on", "add --mesh mesh.vtu");
  }
  shown.mesh = read_vtu(file.mesh);
  const std::uint64_t points = shown.mesh.points.size() / 3;
  if (points != recording.shape[1]) {
    throw Error(ErrorKind::usage, file.mesh,
                fmt::format("has {} points, {} of {} has {} nodes", points, recording.dataset, recording.file,
                            recording.shape[1]),
                "name the mesh it was computed on, or the right --axes");
  }
  View& view = shown.view;
  view.steps = recording.shape[0];
  view.times = {".", "/time", {view.steps}, Box{{0}, {view.steps}}};
  view.mesh_objects.emplace_back(storage::array_of("/time", {view.steps}, recording.times));
  Block block{"mesh", add_mesh(shown.mesh, view.mesh_objects), std::nullopt, fields_of(recording, recording.file)};
  view.blocks.push_back(std::move(block));
  return shown;
}

ViewReport view_foreign_file(const ForeignFile& file, const ViewOptions& options) {
  namespace fs = std::filesystem;
  const Stopwatch clock;
  RecordedView shown = recorded_view(file);
  const Recording& recording = shown.recording;
  ViewReport report;
  report.path = file.out.empty() ? fs::path(recording.file).replace_extension(".vtkhdf").string() : file.out;
  if (fs::exists(report.path) && fs::equivalent(report.path, recording.file)) {
    throw Error(ErrorKind::usage, report.path, "is the file itself", "name another: --out view.vtkhdf");
  }
  const fs::path folder = fs::absolute(report.path).parent_path();
  report.view = std::move(shown.view);
  View& view = report.view;
  // Named as it is found from where the view lies.
  view.blocks[0].fields = fields_of(recording, fs::proximate(fs::absolute(recording.file), folder).string());
  std::vector<XdmfTopology> topologies;
  if (options.xdmf) topologies.push_back(topology_of(view, 0, shown.mesh.cells));

  storage::NewFile made(report.path, options.if_exists, storage::LockWish{"weft view", options.take_over});
  storage::create_object_file(made.part(), vtkhdf_objects(view));
  made.finish(false);
  report.bytes_added = fs::file_size(report.path);
  if (options.xdmf) report.xdmf_path = write_xdmf(report, recording.times, topologies, options.take_over);
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::view
