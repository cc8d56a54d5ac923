#include "weft/reading/field_boxes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weft/support/error.hpp"

namespace weft::reading {

namespace {

// The boxes over a grid's axes whose elements are nodes [first, first + nodes), one box behind the other.
std::vector<Box> boxes_of_nodes(const Shape& grid, std::uint64_t first, std::uint64_t nodes) {
  std::vector<Box> boxes;
  while (nodes > 0) {
    // The largest stretch of whole rows, planes, ... that begins here.
    std::size_t axis = grid.size() - 1;
    std::uint64_t each = 1;  // nodes below this axis
    while (axis > 0 && first % (each * grid[axis]) == 0 && nodes >= each * grid[axis]) each *= grid[axis--];
    Box box{Shape(grid.size(), 0), Shape(grid.size(), 1)};
    std::uint64_t rest = first;
    for (std::size_t i = grid.size(); i-- > 0;) {
      box.start[i] = rest % grid[i];
      rest /= grid[i];
      if (i > axis) box.count[i] = grid[i];
    }
    box.count[axis] = std::min(nodes / each, grid[axis] - box.start[axis]);
    first += box.count[axis] * each;
    nodes -= box.count[axis] * each;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

}  // namespace

Error FieldBoxes::no_such_node(const std::string& asked) const {
  const Shape grid = places_of(*field_);
  return {ErrorKind::usage, path_, fmt::format("field '{}' has no {}", name_, asked),
          grid.size() < 2
              ? fmt::format("its nodes are 0 to {}", nodes_of(*field_) - 1)
              : fmt::format("its nodes are a grid of {}, numbered 0 to {}", to_string(grid), nodes_of(*field_) - 1)};
}

Box FieldBoxes::snapshot(std::uint64_t step) const { return checked(step, 1, whole(field_->per_step)); }

Box FieldBoxes::trace(std::uint64_t node) const {
  if (field_->node_axes < 2) return block(node, 1, 0, committed_);
  if (node >= nodes_of(*field_)) throw no_such_node(fmt::format("node {}", node));
  Shape place(field_->node_axes);
  for (std::size_t axis = place.size(); axis-- > 0;) {
    place[axis] = node % field_->per_step[axis];
    node /= field_->per_step[axis];
  }
  return trace(place);
}

Box FieldBoxes::trace(const Shape& place) const {
  const std::size_t axes = std::max<std::size_t>(1, field_->node_axes);
  if (place.size() == 1) return axes == 1 ? block(place[0], 1, 0, committed_) : trace(place[0]);
  bool inside = place.size() == axes;
  for (std::size_t axis = 0; inside && axis < axes; ++axis) inside = place[axis] < field_->per_step[axis];
  if (!inside) throw no_such_node(fmt::format("node {}", fmt::join(place, ",")));
  Box of_step = whole(field_->per_step);
  std::copy(place.begin(), place.end(), of_step.start.begin());
  std::fill_n(of_step.count.begin(), axes, 1);
  return checked(0, committed_, std::move(of_step));
}

Box FieldBoxes::block(std::uint64_t first_node, std::uint64_t nodes, std::uint64_t first_step,
                      std::uint64_t steps) const {
  const Shape& per_step = field_->per_step;
  const std::uint64_t there_are = per_step.empty() ? 1 : per_step[0];
  if (first_node > there_are || nodes > there_are - first_node) {
    throw Error(ErrorKind::usage, path_,
                nodes == 1 ? fmt::format("field '{}' has no node {}", name_, first_node)
                           : fmt::format("field '{}' has no {} nodes from node {}", name_, nodes, first_node),
                fmt::format("its nodes are 0 to {}", there_are - 1));
  }
  Box of_step = whole(per_step);
  if (!per_step.empty()) {
    of_step.start[0] = first_node;
    of_step.count[0] = nodes;
  }
  return checked(first_step, steps, std::move(of_step));
}

std::vector<Box> FieldBoxes::of_nodes(std::uint64_t first, std::uint64_t nodes, std::uint64_t first_step,
                                      std::uint64_t steps) const {
  if (field_->node_axes < 2) return {block(first, nodes, first_step, steps)};
  if (first > nodes_of(*field_) || nodes > nodes_of(*field_) - first) {
    throw no_such_node(fmt::format("{} nodes from node {}", nodes, first));
  }
  std::vector<Box> boxes;
  for (const Box& places : boxes_of_nodes(places_of(*field_), first, nodes)) {
    Box of_step = whole(field_->per_step);
    std::copy(places.start.begin(), places.start.end(), of_step.start.begin());
    std::copy(places.count.begin(), places.count.end(), of_step.count.begin());
    boxes.push_back(checked(first_step, steps, std::move(of_step)));
  }
  return boxes;
}

Box FieldBoxes::checked(std::uint64_t first_step, std::uint64_t steps, Box of_step) const {
  of_step.start.insert(of_step.start.begin(), first_step);
  of_step.count.insert(of_step.count.begin(), steps);
  check(of_step);
  return of_step;
}

void FieldBoxes::check(const Box& box) const {
  Shape shape = field_->per_step;
  shape.insert(shape.begin(), steps_);
  const auto bad = [&](std::string_view what, std::string_view remedy) {
    return Error(ErrorKind::usage, path_, fmt::format("field '{}' {}", name_, what), remedy);
  };
  if (box.start.size() != shape.size() || box.count.size() != shape.size()) {
    throw bad(fmt::format("has {} axes, the box has {}", shape.size(), box.start.size()),
              fmt::format("its shape is {}", to_string(shape)));
  }
  if (box.start[0] > committed_ || box.count[0] > committed_ - box.start[0]) {
    const std::string asked = box.count[0] == 1 ? fmt::format("step {}", box.start[0])
                                                : fmt::format("{} steps from step {}", box.count[0], box.start[0]);
    throw bad(fmt::format("was asked for {}, but {} of {} steps are committed", asked, committed_, shape[0]),
              committed_ == 0 ? "wait until a step is written" : fmt::format("ask for steps 0 to {}", committed_ - 1));
  }
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    if (box.start[axis] > shape[axis] || box.count[axis] > shape[axis] - box.start[axis]) {
      throw bad(fmt::format("was asked for {} from {} along axis {}", box.count[axis], box.start[axis], axis),
                fmt::format("its shape is {}", to_string(shape)));
    }
  }
}

}  // namespace weft::reading
