#include "weft/layout/axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "weft/support/error.hpp"

namespace weft::layout {

namespace {

AxisRole role_of(std::string_view name) {
  if (name == "step" || name == "time" || name == "t") return AxisRole::step;
  if (name == "component" || name == "variable" || name == "c") return AxisRole::component;
  return AxisRole::spatial;
}

}  // namespace

Axis axis_named(std::string_view name) { return {std::string(name), role_of(name)}; }

Axes default_axes(std::size_t rank) {
  Axes axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    axes.push_back(axis_named(axis == 0 ? "step" : axis == 1 ? "node" : "component"));
  }
  return axes;
}

Axes parse_axes(std::string_view text, std::size_t rank) {
  Axes axes;
  for (std::string_view rest = text;;) {
    const std::size_t cut = rest.find(',');
    axes.push_back(axis_named(rest.substr(0, cut)));
    if (cut == std::string_view::npos) break;
    rest.remove_prefix(cut + 1);
  }
  check_axes(axes, rank);
  return axes;
}

std::string axis_names(const Axes& axes) {
  std::vector<std::string_view> names;
  std::ranges::transform(axes, std::back_inserter(names), &Axis::name);
  return fmt::format("{}", fmt::join(names, ","));
}

std::size_t step_axis(const Axes& axes) {
  return static_cast<std::size_t>(std::ranges::find(axes, AxisRole::step, &Axis::role) - axes.begin());
}

std::vector<std::size_t> spatial_axes(const Axes& axes) {
  std::vector<std::size_t> found;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].role == AxisRole::spatial) found.push_back(axis);
  }
  return found;
}

void check_axes(const Axes& axes, std::size_t rank) {
  const auto bad = [&](std::string_view what, std::string_view remedy) {
    return Error(ErrorKind::usage, fmt::format("axes '{}'", axis_names(axes)), what, remedy);
  };
  if (axes.size() != rank) {
    throw bad(fmt::format("{} names for a dataset of {} axes", axes.size(), rank), "give one name per axis");
  }
  const auto steps = std::ranges::count(axes, AxisRole::step, &Axis::role);
  if (steps != 1) {
    throw bad(steps == 0 ? "no axis is the step" : "more than one axis is the step",
              "name exactly one of them step (or time, or t)");
  }
  for (const Axis& axis : axes) {
    if (axis.name.empty()) throw bad("a name is empty", "write them as in step,node,component");
    if (axis.role == AxisRole::spatial && std::ranges::count(axes, axis.name, &Axis::name) > 1) {
      throw bad(fmt::format("'{}' occurs twice", axis.name), "give every spatial axis its own name");
    }
  }
}

}  // namespace weft::layout
