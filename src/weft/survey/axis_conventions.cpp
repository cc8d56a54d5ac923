#include "weft/survey/axis_conventions.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::survey {

namespace {

using storage::Handle;

std::string text_at(hid_t object, const char* attribute) {
  const std::vector<std::string> texts = storage::read_texts(object, attribute);
  return texts.empty() ? std::string() : texts[0];
}

// The field that a path of a Weft file stands for: /V and /weft/segments/0/V are V.
std::string weft_field(std::string_view path) {
  constexpr std::string_view kSegments = "/weft/segments/";
  if (path.starts_with(kSegments)) {
    const std::size_t slash = path.find('/', kSegments.size());
    return slash == std::string_view::npos ? std::string() : std::string(path.substr(slash + 1));
  }
  return std::string(path.substr(1));
}

// The axes that a field's layout was chosen for; nothing where it does not say.
std::optional<layout::Axes> rationale_axes(hid_t dataset, std::size_t rank) {
  const auto rationale = nlohmann::json::parse(storage::read_text(dataset, "weft_layout"), nullptr, false);
  if (!rationale.is_object() || !rationale.contains("axes") || !rationale["axes"].is_string()) return std::nullopt;
  try {
    return layout::parse_axes(rationale["axes"].get<std::string>(), rank);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// z, y, x where one step begins with the extents of the file's regular grid; else what the field stands on.
layout::Axes weft_field_axes(const Candidate& candidate) {
  const Shape& shape = candidate.facts.shape;
  const std::string support = storage::read_text(candidate.dataset, "weft_support");
  std::vector<double> grid;
  if (exists(candidate.file, "/mesh")) {
    const Handle mesh(H5Gopen2(candidate.file, "/mesh", H5P_DEFAULT));
    grid = storage::read_numbers(mesh, "grid_shape");
  }
  const bool on_grid = !grid.empty() && grid.size() <= 3 && shape.size() > grid.size() &&
                       std::equal(grid.begin(), grid.end(), shape.begin() + 1,
                                  [](double extent, std::uint64_t own) { return extent == static_cast<double>(own); });
  if (!on_grid && support != "global" && support != "cells") {
    if (auto axes = rationale_axes(candidate.dataset, shape.size())) return *std::move(axes);
  }
  constexpr std::array<const char*, 3> kGrid{"z", "y", "x"};
  AxisNames names;
  names.step("step");
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    if (on_grid && axis <= grid.size()) {
      names.spatial(kGrid[kGrid.size() - grid.size() + axis - 1]);
    } else if (!on_grid && axis == 1 && support != "global") {
      names.spatial(support == "cells" ? "cell" : "node");
    } else {
      names.component();
    }
  }
  return names.take();
}

// "/data/%T/" -> what stands before and behind %T.
struct BasePath {
  std::string before;
  std::string behind;
};

std::optional<BasePath> base_path(hid_t root) {
  std::string base = text_at(root, "basePath");
  if (base.empty()) base = "/data/%T/";
  const std::size_t step = base.find("%T");
  if (step == std::string::npos) return std::nullopt;
  return BasePath{base.substr(0, step), base.substr(step + 2)};
}

// openPMD's axes of a mesh record: their names, and what stands before them in files of cylinder modes.
layout::Axes mesh_axes(const std::vector<std::string>& labels, std::size_t rank) {
  AxisNames names;
  names.step("step");
  const std::size_t before = labels.size() < rank ? rank - labels.size() : 0;  // the modes of thetaMode
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis < before && !labels.empty()) {
      names.component();
    } else {
      names.spatial(labels.empty() ? fmt::format("axis{}", axis) : labels[axis - before]);
    }
  }
  return names.take();
}

// One axis of a dataset as its dimension scale or its label has it.
struct ScaledAxis {
  std::string name;
  std::string path;
  std::string units;
  bool time = false;  // the scale says that it is one
};

herr_t first_scale(hid_t, unsigned, hid_t scale, void* data) {
  std::array<char, 1024> path{};
  if (H5Iget_name(scale, path.data(), path.size()) <= 0) return 0;
  ScaledAxis& axis = *static_cast<ScaledAxis*>(data);
  axis.path = path.data();
  axis.name = axis.path.substr(axis.path.rfind('/') + 1);
  axis.units = text_at(scale, "units");
  axis.time = text_at(scale, "axis") == "T" || text_at(scale, "standard_name") == "time" ||
              axis.units.find(" since ") != std::string::npos || !text_at(scale, "calendar").empty();
  return 1;  // one is enough
}

std::vector<ScaledAxis> scaled_axes(const Candidate& candidate) {
  std::vector<ScaledAxis> axes(candidate.facts.shape.size());
  if (axes.size() == 1 && H5DSis_scale(candidate.dataset) > 0) {  // a coordinate is its own scale
    first_scale(candidate.dataset, 0, candidate.dataset, axes.data());
    return axes;
  }
  for (unsigned i = 0; i < axes.size(); ++i) {
    if (H5DSget_num_scales(candidate.dataset, i) > 0) {
      H5DSiterate_scales(candidate.dataset, i, nullptr, first_scale, &axes[i]);
    }
    std::array<char, 256> label{};
    if (axes[i].name.empty() && H5DSget_label(candidate.dataset, i, label.data(), label.size() - 1) > 0) {
      axes[i].name = label.data();
    }
  }
  return axes;
}

bool is_component_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 14> kNames{"nv",         "bnds",      "bounds", "component", "components",
                                                    "variable",   "variables", "vector", "xyz",       "direction",
                                                    "ncomponent", "nvar",      "nvars",  "c"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The index of the step among them; nothing where there is none.
std::optional<std::size_t> scaled_step(const std::vector<ScaledAxis>& axes, const DatasetFacts& facts) {
  const auto index = [&](const auto& which) -> std::optional<std::size_t> {
    const auto found = std::find_if(axes.begin(), axes.end(), which);
    if (found == axes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - axes.begin());
  };
  if (const auto said = index([](const ScaledAxis& axis) { return axis.time; })) return said;
  if (const auto named = index([](const ScaledAxis& axis) { return is_time_name(axis.name); })) return named;
  for (std::size_t i = 0; i < axes.size() && axes[0].path != facts.path; ++i) {
    if (facts.most[i] == 0) return i;  // netCDF's record dimension; a coordinate alone is none by that
  }
  return std::nullopt;
}

// CF's auxiliary coordinates (section 5: the attribute `coordinates` lists names) that are times by their units: what
// stands in for a dimension without coordinates, as WRF's XTIME does.
std::vector<std::string> auxiliary_times(const Candidate& candidate) {
  std::vector<std::string> times;
  std::istringstream names(text_at(candidate.dataset, "coordinates"));
  for (std::string name; names >> name;) {
    const std::string path = name.starts_with('/') ? name : candidate.group() + "/" + name;
    if (!exists(candidate.file, path)) continue;
    const Handle dataset(H5Dopen2(candidate.file, path.c_str(), H5P_DEFAULT));
    if (dataset.valid() && text_at(dataset, "units").find(" since ") != std::string::npos) times.push_back(path);
  }
  return times;
}

layout::Axes named_axes(const std::vector<ScaledAxis>& scaled, std::size_t step) {
  AxisNames names;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    if (i == step) {
      names.step(scaled[i].name);
    } else if (is_component_name(scaled[i].name)) {
      names.component();
    } else {
      names.spatial(scaled[i].name);
    }
  }
  return names.take();
}

}  // namespace

Verdict weft_axes(const Candidate& candidate) {
  if (!exists(candidate.file, "/weft")) return {};
  const Handle weft(H5Gopen2(candidate.file, "/weft", H5P_DEFAULT));
  if (!weft.valid() || H5Aexists(weft, "format_version") <= 0) return {};
  const std::string& path = candidate.facts.path;
  const std::vector<std::string> fields = storage::read_names(weft, "fields");
  if (std::find(fields.begin(), fields.end(), weft_field(path)) == fields.end()) {
    // What somebody put into the file beside it is judged as in any other.
    for (const char* own : {"/weft/", "/mesh/", "/maps/", "/VTKHDF/"}) {
      if (path.starts_with(own)) return Verdict::no_steps();
    }
    return {};
  }
  KnownAxes known;
  known.convention = Convention::weft;
  known.shape = candidate.facts.shape;
  known.axes = weft_field_axes(candidate);
  const std::vector<std::string> components = storage::read_names(candidate.dataset, "weft_components");
  const std::string units = storage::read_text(candidate.dataset, "units");
  const std::vector<std::string> each = storage::read_names(candidate.dataset, "weft_component_units");
  for (std::size_t i = 0; i < components.size(); ++i) {
    known.variables.push_back({components[i], each.size() == components.size() ? each[i] : units});
  }
  if (known.variables.empty()) known.variables.push_back({weft_field(path), units});
  if (weft_field(path) != "time") find_times(known, candidate.file, {candidate.group() + "/time", "/time"});
  return Verdict::steps(std::move(known));
}

Verdict chaste_axes(const Candidate& candidate) {
  const DatasetFacts& facts = candidate.facts;
  KnownAxes known;
  known.convention = Convention::chaste;
  known.shape = facts.shape;
  const auto of_chaste = [&](const std::string& path) {
    if (!exists(candidate.file, path)) return false;
    const Handle dataset(H5Dopen2(candidate.file, path.c_str(), H5P_DEFAULT));
    return dataset.valid() && H5Aexists(dataset, "Variable Details") > 0;
  };
  if (facts.shape.size() == 1) {  // the times themselves
    constexpr std::string_view kEnding = "_Unlimited";
    const bool unlimited = facts.path.ends_with(kEnding);
    const std::string data =
        unlimited ? facts.path.substr(0, facts.path.size() - kEnding.size()) : candidate.group() + "/Data";
    if ((!unlimited && candidate.leaf() != "Time") || !of_chaste(data)) return {};
    known.axes = layout::default_axes(1);
    return Verdict::steps(std::move(known));
  }
  if (facts.shape.size() != 3 || H5Aexists(candidate.dataset, "Variable Details") <= 0) return {};
  known.axes = layout::parse_axes("step,node,variable", 3);
  known.variables = chaste_variables(candidate.dataset, facts.shape[2]);
  find_times(known, candidate.file, {facts.path + "_Unlimited", candidate.group() + "/Time"});
  if (!known.time.empty() && known.time_units.empty()) known.time_units = "msec";  // the only unit it had at first
  return Verdict::steps(std::move(known));
}

Verdict openpmd_axes(const Candidate& candidate) {
  const Handle root(H5Gopen2(candidate.file, "/", H5P_DEFAULT));
  if (text_at(root, "openPMD").empty()) return {};
  const auto base = base_path(root);
  const std::string& path = candidate.facts.path;
  if (!base || !path.starts_with(base->before)) return {};
  const std::size_t step_end = path.find('/', base->before.size());
  if (step_end == std::string::npos || path.compare(step_end, base->behind.size(), base->behind) != 0) return {};
  const std::string iteration = path.substr(0, step_end + base->behind.size());
  const std::string record = path.substr(iteration.size());
  const std::string meshes = text_at(root, "meshesPath");
  const std::string particles = text_at(root, "particlesPath");

  KnownAxes known;
  known.convention = Convention::openpmd;
  known.form = Form::one_a_step;
  known.shape = candidate.facts.shape;
  known.shape.insert(known.shape.begin(), 1);
  known.series = base->before + "%T" + path.substr(step_end);
  if (!meshes.empty() && record.starts_with(meshes)) {
    // A vector's axes stand on its group, a scalar's on the dataset.
    const bool vector = record.find('/', meshes.size()) != std::string::npos;
    const Handle owner(vector ? H5Gopen2(candidate.file, candidate.group().c_str(), H5P_DEFAULT)
                              : H5Dopen2(candidate.file, path.c_str(), H5P_DEFAULT));
    std::vector<std::string> labels = storage::read_texts(owner, "axisLabels");
    if (text_at(owner, "dataOrder") == "F") std::reverse(labels.begin(), labels.end());
    if (labels.size() > candidate.facts.shape.size()) labels.clear();
    known.axes = mesh_axes(labels, candidate.facts.shape.size());
    return Verdict::steps(std::move(known));
  }
  const bool of_particles = !particles.empty() && record.starts_with(particles) && candidate.facts.shape.size() == 1 &&
                            record.find("/particlePatches/") == std::string::npos;
  if (!of_particles) return Verdict::no_steps();
  known.axes = layout::parse_axes("step,particle", 2);
  return Verdict::steps(std::move(known));
}

Verdict scale_axes(const Candidate& candidate) {
  const std::vector<ScaledAxis> scaled = scaled_axes(candidate);
  const auto named = std::count_if(scaled.begin(), scaled.end(), [](const ScaledAxis& a) { return !a.name.empty(); });
  if (named == 0) return {};
  const auto step = scaled_step(scaled, candidate.facts);
  // With every axis named and none of them time it has no steps; with a part of them, nobody knows.
  if (!step) return named == static_cast<long>(scaled.size()) ? Verdict::no_steps() : Verdict{};
  KnownAxes known;
  known.convention = Convention::cf;
  known.shape = candidate.facts.shape;
  known.axes = named == 1 && *step == 0 ? steps_first(known.shape) : named_axes(scaled, *step);
  if (scaled.size() > 1 || scaled[*step].path != candidate.facts.path) {
    std::vector<std::string> times = auxiliary_times(candidate);
    times.insert(times.begin(), scaled[*step].path);
    find_times(known, candidate.file, times);
  }
  known.variables = {{candidate.leaf(), text_at(candidate.dataset, "units")}};
  return Verdict::steps(std::move(known));
}

}  // namespace weft::survey
