#include "weft/reading/grid_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "weft/reading/value_coding.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/survey/axis_conventions.hpp"

namespace weft::reading {

namespace {

using storage::Handle;
using storage::RegularGrid;

constexpr std::uint64_t kMostCoordinates = 1ULL << 24;  // an axis is read whole
constexpr double kEven = 1e-3;                          // of a spacing: coordinates are often float32

struct Axis {
  double origin;
  double spacing;
};

std::optional<Axis> evenly_spaced(std::span<const double> places) {
  if (places.size() < 2) return std::nullopt;
  const double spacing = (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  if (!(spacing > 0) || !std::isfinite(spacing)) return std::nullopt;  // VTK knows no grid that falls
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double even = places.front() + spacing * static_cast<double>(i);
    if (!(std::abs(places[i] - even) <= kEven * std::abs(spacing))) return std::nullopt;
  }
  return Axis{places.front(), spacing};
}

// The array of an axis's coordinates, in the field's group or above it.
std::optional<Axis> coordinates(hid_t file, std::string group, const std::string& name, std::uint64_t extent,
                                std::vector<std::string>& left_out) {
  while (true) {
    const std::string path = fmt::format("{}/{}", group, name);
    if (survey::extents_at(file, path) == Shape{extent} && extent <= kMostCoordinates) {
      const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
      if (survey::is_bare_dimension(dataset)) break;
      const std::optional<std::vector<double>> places = all_values(dataset);
      if (!places) break;
      std::optional<Axis> axis = evenly_spaced(*places);
      if (!axis && extent > 1) {
        left_out.push_back(fmt::format("{}: {}, so the nodes of its grid are placed one apart", path,
                                       places->back() < places->front() ? "falls" : "is not evenly spaced"));
      }
      return axis;
    }
    if (group.empty()) break;
    group.resize(group.rfind('/'));
  }
  return std::nullopt;
}

// `along` counts the axes as the file does; x is the grid's last axis.
void set(RegularGrid& grid, std::size_t along, const Axis& axis) {
  const std::size_t xyz = grid.shape.size() - 1 - along;
  grid.origin.at(xyz) = axis.origin;
  grid.spacing.at(xyz) = axis.spacing;
}

void openpmd_places(hid_t file, const std::string& dataset, RegularGrid& grid) {
  for (const std::string& path : {dataset, dataset.substr(0, dataset.rfind('/'))}) {
    const Handle record(H5Oopen(file, path.c_str(), H5P_DEFAULT));
    if (!record.valid()) continue;
    std::vector<double> spacing = storage::read_numbers(record, "gridSpacing");
    std::vector<double> offset = storage::read_numbers(record, "gridGlobalOffset");
    const std::vector<double> unit = storage::read_numbers(record, "gridUnitSI");
    const std::vector<std::string> order = storage::read_texts(record, "dataOrder");
    if (!order.empty() && order[0] == "F") {  // the fastest axis first, as axisLabels has them then
      std::reverse(spacing.begin(), spacing.end());
      std::reverse(offset.begin(), offset.end());
    }
    if (spacing.size() != grid.shape.size()) continue;
    const double metres = unit.size() == 1 ? unit[0] : 1;
    for (std::size_t axis = 0; axis < spacing.size(); ++axis) {
      set(grid, axis, {offset.size() == spacing.size() ? offset[axis] * metres : 0, spacing[axis] * metres});
    }
    return;
  }
}

void vtkhdf_places(hid_t file, RegularGrid& grid) {
  const Handle root(H5Gopen2(file, "/VTKHDF", H5P_DEFAULT));
  const std::vector<double> origin = storage::read_numbers(root, "Origin");
  const std::vector<double> spacing = storage::read_numbers(root, "Spacing");
  if (origin.size() != 3 || spacing.size() != 3) return;
  // Origin is the place of point 0, which a part of a larger grid does not begin at.
  const std::vector<double> extent = storage::read_numbers(root, "WholeExtent");
  for (std::size_t xyz = 0; xyz < 3; ++xyz) {
    const double first = extent.size() == 6 ? extent[2 * xyz] : 0;
    grid.origin.at(xyz) = origin[xyz] + first * spacing[xyz];
    grid.spacing.at(xyz) = spacing[xyz];
  }
}

}  // namespace

GridPlaces grid_places(hid_t file, const survey::KnownAxes& known, const std::string& dataset, const Shape& shape) {
  GridPlaces places;
  RegularGrid& grid = places.grid;
  const std::vector<std::size_t> axes = layout::spatial_axes(known.axes);
  grid.shape.assign(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axes.size()));
  if (known.convention == survey::Convention::openpmd) {
    openpmd_places(file, dataset, grid);
  } else if (known.convention == survey::Convention::vtkhdf) {
    vtkhdf_places(file, grid);
  } else {
    std::vector<Axis> all;
    const std::string group = dataset.substr(0, dataset.rfind('/'));
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto found = coordinates(file, group, known.axes[axes[axis]].name, grid.shape[axis], places.left_out);
      if (found) all.push_back(*found);
    }
    if (all.size() < axes.size()) return places;  // nothing in between: some axes in degrees, others counted
    for (std::size_t axis = 0; axis < axes.size(); ++axis) set(grid, axis, all[axis]);
  }
  H5Eclear2(H5E_DEFAULT);
  return places;
}

}  // namespace weft::reading
