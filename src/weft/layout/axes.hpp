// weft/layout/axes.hpp - the role each axis of a dataset plays.
//
// A read such as "trace" means something only once we know which axis is the time step and which ones are space. An
// Axes value names every axis of one dataset; exactly one of them is the step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::layout {

enum class AxisRole : std::uint8_t {
  step,       // time
  spatial,    // where in the mesh or grid: node, cell, or z, y, x
  component,  // what a node holds: the components of a vector, several variables side by side
};

struct Axis {
  std::string name;
  AxisRole role;
  bool operator==(const Axis&) const = default;
};

using Axes = std::vector<Axis>;

// The axis of this name, as parse_axes() has it: step, time and t are the step; component, variable and c components;
// any other name is a spatial axis.
Axis axis_named(std::string_view name);

// step, node, then components: Weft's own order.
Axes default_axes(std::size_t rank);

// "step,node,component" in any order, one name per axis; components may repeat. Throws Error(usage) unless there are
// `rank` names, one step among them, and no spatial name twice.
Axes parse_axes(std::string_view text, std::size_t rank);

// {step, node, component} -> "step,node,component", which parse_axes() reads back.
std::string axis_names(const Axes& axes);

// The index of the step axis, and of the spatial axes, slowest first.
std::size_t step_axis(const Axes& axes);
std::vector<std::size_t> spatial_axes(const Axes& axes);

// Throws Error(usage) unless the axes fit a dataset of this rank as parse_axes() promises: for axes made by hand.
void check_axes(const Axes& axes, std::size_t rank);

}  // namespace weft::layout

#pragma GCC visibility pop
