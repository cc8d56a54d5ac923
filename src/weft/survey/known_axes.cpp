#include "weft/survey/known_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/survey/axis_conventions.hpp"

namespace weft::survey {

namespace {

using layout::Axis;
using layout::AxisRole;
using storage::Handle;

// Beyond this, a last axis is taken for places rather than for values of one place; a tensor has nine.
constexpr std::uint64_t kFewComponents = 9;
// More are believed where there are many more nodes than that: the state variables of a cell.
constexpr std::uint64_t kManyComponents = 64;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// What meshes are stored under, in whatever file.
bool is_mesh_name(std::string_view name) {
  constexpr std::array<std::string_view, 18> kNames{
      "points", "point",    "coordinates", "coords", "connectivity", "cells", "elements",  "topology", "geometry",
      "nodes",  "vertices", "offsets",     "types",  "faces",        "edges", "simplices", "tets",     "triangles"};
  return std::find(kNames.begin(), kNames.end(), lower(name)) != kNames.end();
}

Handle opened(hid_t file, const DatasetFacts& facts) {
  return Handle(storage::check_hdf5(H5Dopen2(file, facts.path.c_str(), H5P_DEFAULT), facts.path, "cannot be opened",
                                    ErrorKind::data));
}

// Where times are kept that belong to a dataset, in files that keep to no convention.
std::vector<std::string> usual_times(const Candidate& candidate) {
  std::vector<std::string> paths{candidate.facts.path + "_Unlimited"};
  for (const std::string& group : {candidate.group(), std::string()}) {
    for (const char* name : {"time", "Time", "times", "Times", "t"}) paths.push_back(group + "/" + name);
  }
  std::erase(paths, candidate.facts.path);
  return paths;
}

// How many of the last axes are components: small ones, as long as one axis is left for the nodes.
std::size_t component_axes(const Shape& shape) {
  std::size_t components = 0;
  while (components + 2 < shape.size() && shape[shape.size() - 1 - components] <= kFewComponents) ++components;
  const std::uint64_t last = shape.back();
  if (components == 0 && shape.size() == 3 && last <= kManyComponents && shape[1] >= 4 * last) components = 1;
  return components;
}

}  // namespace

std::string_view name_of(Convention convention) {
  constexpr std::array<std::string_view, 7> kNames{
      "Weft", "CF dimension scales", "Chaste", "VTKHDF", "openPMD", "assumed", "--axes"};
  return kNames.at(static_cast<std::size_t>(convention));
}

std::string to_text(const KnownAxes& known) {
  return fmt::format("{} ({})", axis_names(known.axes), name_of(known.convention));
}

std::optional<KnownAxes> known_axes(hid_t file, const DatasetFacts& facts) {
  if (facts.scalar || facts.empty) return std::nullopt;
  const storage::QuietHdf5 quiet;
  const Handle dataset = opened(file, facts);
  if (is_bare_dimension(dataset)) return std::nullopt;
  const Candidate candidate{file, dataset, facts};
  for (const auto& convention : {weft_axes, chaste_axes, vtkhdf_axes, openpmd_axes, scale_axes, assumed_axes}) {
    Verdict verdict = convention(candidate);
    H5Eclear2(H5E_DEFAULT);
    if (verdict.applies) return std::move(verdict.axes);
  }
  return std::nullopt;
}

KnownAxes told_axes(hid_t file, const DatasetFacts& facts, std::string_view text) {
  const storage::QuietHdf5 quiet;
  KnownAxes told;
  try {
    told.axes = layout::parse_axes(text, facts.shape.size());
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, facts.path, error.what());
  }
  told.convention = Convention::told;
  told.shape = facts.shape;
  // Times and variables mean what the file says they do only where its axes are those that were told.
  if (const auto known = known_axes(file, facts); known && known->axes == told.axes) {
    told.time = known->time;
    told.time_units = known->time_units;
    told.variables = known->variables;
  } else {
    const Handle dataset = opened(file, facts);
    find_times(told, file, usual_times({file, dataset, facts}));
  }
  return told;
}

std::optional<Shape> chunk_in_file(const KnownAxes& known, const Shape& seen) {
  if (known.form == Form::plain) return seen;
  if (known.form == Form::one_a_step) return Shape(seen.begin() + 1, seen.end());
  const std::uint64_t nodes = known.shape[1];
  if (seen[1] != nodes && (seen[0] != 1 || nodes % seen[1] != 0)) return std::nullopt;
  Shape chunk(seen.begin() + 1, seen.end());
  chunk[0] = seen[0] * seen[1];
  return chunk;
}

std::optional<Shape> chunk_as_seen(const KnownAxes& known, const Shape& in_file) {
  if (known.form == Form::plain) return in_file;
  Shape chunk = in_file;
  if (known.form == Form::one_a_step) {
    chunk.insert(chunk.begin(), 1);
    return chunk;
  }
  const std::uint64_t nodes = known.shape[1];
  if (chunk[0] % nodes != 0 && nodes % chunk[0] != 0) return std::nullopt;
  const std::uint64_t steps = std::max<std::uint64_t>(1, chunk[0] / nodes);
  chunk[0] = std::min(chunk[0], nodes);
  chunk.insert(chunk.begin(), steps);
  return chunk;
}

// What the conventions share.

std::string Candidate::group() const { return facts.path.substr(0, facts.path.rfind('/')); }

std::string Candidate::leaf() const { return facts.path.substr(facts.path.rfind('/') + 1); }

bool Candidate::grows_first() const { return !facts.most.empty() && facts.most[0] != facts.shape[0]; }

bool exists(hid_t file, const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(file, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

std::optional<Shape> extents_at(hid_t file, const std::string& path) {
  if (!exists(file, path)) return std::nullopt;
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) return std::nullopt;
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return Shape(extents.begin(), extents.end());
}

bool is_bare_dimension(hid_t dataset) {
  const std::vector<std::string> name = storage::read_texts(dataset, "NAME");
  return !name.empty() && name[0].starts_with("This is a netCDF dimension but not a netCDF variable");
}

bool is_time_name(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames{"time",       "times",      "t",         "step",  "steps",
                                                    "time_step",  "time_steps", "timestep",  "frame", "timesteps",
                                                    "time_index", "record",     "iteration", "nt"};
  return std::find(kNames.begin(), kNames.end(), lower(name)) != kNames.end();
}

layout::Axes steps_first(const Shape& shape) {
  const std::size_t components = component_axes(shape);
  const std::size_t spatial = shape.size() - 1 - components;
  constexpr std::array<std::string_view, 3> kGrid{"z", "y", "x"};
  AxisNames names;
  names.step("step");
  for (std::size_t axis = 0; axis < spatial; ++axis) {
    if (spatial == 1) {
      names.spatial("node");
    } else if (spatial <= kGrid.size()) {
      names.spatial(kGrid[kGrid.size() - spatial + axis]);
    } else {
      names.spatial(fmt::format("axis{}", axis + 1));
    }
  }
  for (std::size_t i = 0; i < components; ++i) names.component();
  return names.take();
}

void find_times(KnownAxes& known, hid_t file, const std::vector<std::string>& paths) {
  const Shape wanted{known.shape[step_axis(known.axes)]};
  for (const std::string& path : paths) {
    if (extents_at(file, path) != wanted) continue;
    const Handle times(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
    if (is_bare_dimension(times)) continue;
    const Handle type(H5Dget_type(times));
    if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER) continue;
    known.time = path;
    known.time_units = time_units_of(times);
    return;
  }
}

void AxisNames::step(std::string_view given) {
  const Axis named = layout::axis_named(given);
  axes_.push_back(
      named.role == AxisRole::step ? named : layout::axis_named(lower(given).starts_with("time") ? "time" : "step"));
}

void AxisNames::component() { axes_.push_back(layout::axis_named("component")); }

void AxisNames::spatial(std::string_view given) {
  std::string name(given);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == ',' || std::isspace(c) != 0 || c < ' '; }, '_');
  if (name.empty()) name = fmt::format("axis{}", axes_.size());
  if (layout::axis_named(name).role != AxisRole::spatial) name += "_axis";
  const auto taken = [&](const std::string& candidate) {
    return std::any_of(axes_.begin(), axes_.end(), [&](const Axis& axis) { return axis.name == candidate; });
  };
  std::string free = name;
  for (int i = 2; taken(free); ++i) free = fmt::format("{}{}", name, i);
  axes_.push_back(layout::axis_named(free));
}

Verdict assumed_axes(const Candidate& candidate) {
  const DatasetFacts& facts = candidate.facts;
  const Shape& shape = facts.shape;
  if (!facts.numbers || is_mesh_name(candidate.leaf())) return {};
  KnownAxes known;
  known.shape = shape;
  if (shape.size() == 1) {
    if (!candidate.grows_first() && !is_time_name(candidate.leaf())) return {};
    known.axes = layout::default_axes(1);
    return Verdict::steps(std::move(known));
  }
  known.axes = steps_first(shape);
  find_times(known, candidate.file, usual_times(candidate));
  // Without times and without growth, only numbers with a point are steps, and only where there is more in a step than
  // the coordinates of one place: (N, 3) is as likely to be the points of a mesh.
  const bool many = shape[0] > 1 && (shape.size() > 2 || shape[1] > 4);
  const bool looks = !known.time.empty() || candidate.grows_first() || (facts.type.starts_with("float") && many);
  return looks ? Verdict::steps(std::move(known)) : Verdict{};
}

}  // namespace weft::survey
