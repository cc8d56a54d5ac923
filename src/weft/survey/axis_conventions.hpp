// weft/survey/axis_conventions.hpp - one function for each convention that known_axes.hpp lists, and what they share.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/survey/known_axes.hpp"

namespace weft::survey {

// What a convention says of a dataset: nothing (it does not apply), or its axes, or that it has no steps.
struct Verdict {
  bool applies = false;
  std::optional<KnownAxes> axes{};

  static Verdict no_steps() { return {true, std::nullopt}; }
  static Verdict steps(KnownAxes known) { return {true, std::move(known)}; }
};

// A dataset that is being looked at, open.
struct Candidate {
  hid_t file;
  hid_t dataset;
  const DatasetFacts& facts;

  std::string group() const;  // "/a/b" of "/a/b/c", "" of "/c": a name can follow with its slash
  std::string leaf() const;   // "c"
  bool grows_first() const;   // axis 0 may become longer
};

Verdict weft_axes(const Candidate& candidate);
Verdict chaste_axes(const Candidate& candidate);
Verdict vtkhdf_axes(const Candidate& candidate);
Verdict openpmd_axes(const Candidate& candidate);
Verdict scale_axes(const Candidate& candidate);
Verdict assumed_axes(const Candidate& candidate);

// The extents of the dataset of this path; nothing where there is none.
std::optional<Shape> extents_at(hid_t file, const std::string& path);
// Whether a path leads to an object. Asking HDF5 directly fails where a group on the way is missing.
bool exists(hid_t file, const std::string& path);
// Whether it only stands for a dimension of netCDF-4 that has no coordinates: nothing was written into it.
// https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
bool is_bare_dimension(hid_t dataset);
// "time", "Times", "t", "step", "frame", ...
bool is_time_name(std::string_view name);
// Axes of a dataset whose first axis is the step, by its extents alone: small last axes are components.
layout::Axes steps_first(const Shape& shape);
// Fills in time and time_units with the first of these datasets that has one value a step.
void find_times(KnownAxes& known, hid_t file, const std::vector<std::string>& paths);
// Names axes: the step and components as they are called here, spatial axes by what the file calls them, made fit for
// a list with commas and told apart.
class AxisNames {
 public:
  void step(std::string_view given);
  void spatial(std::string_view given);
  void component();
  layout::Axes take() { return std::move(axes_); }

 private:
  layout::Axes axes_;
};

}  // namespace weft::survey
