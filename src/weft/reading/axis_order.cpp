#include "weft/reading/axis_order.hpp"

#include <algorithm>
#include <cstring>

namespace weft::reading {

AxisOrder steps_then_places(const layout::Axes& axes) {
  AxisOrder order;
  for (const layout::AxisRole role : {layout::AxisRole::step, layout::AxisRole::spatial, layout::AxisRole::component}) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].role == role) order.push_back(axis);
    }
  }
  return order;
}

bool is_identity(const AxisOrder& order) { return std::is_sorted(order.begin(), order.end()); }

Shape reordered(const Shape& of_dataset, const AxisOrder& order) {
  Shape shape;
  for (const std::size_t axis : order) shape.push_back(of_dataset[axis]);
  return shape;
}

Shape as_in_dataset(const Shape& reordered, const AxisOrder& order) {
  Shape shape(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) shape[order[i]] = reordered[i];
  return shape;
}

void reorder(std::span<const std::byte> from, const Shape& shape, const AxisOrder& order, std::uint64_t element_bytes,
             std::span<std::byte> to) {
  Shape strides(shape.size(), element_bytes);  // of the dataset's axes, in bytes
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  // Axes at the end that keep their place are copied in one go.
  std::size_t moved = order.size();
  std::uint64_t run = element_bytes;
  while (moved > 0 && order[moved - 1] == moved - 1) run *= shape[--moved];
  Shape index(moved, 0);
  const std::byte* source = from.data();
  for (std::size_t at = 0; at < to.size(); at += run) {
    std::memcpy(to.data() + at, source, run);
    for (std::size_t i = moved; i-- > 0;) {
      const std::uint64_t stride = strides[order[i]];
      source += stride;
      if (++index[i] < shape[order[i]]) break;
      source -= stride * index[i];
      index[i] = 0;
    }
  }
}

}  // namespace weft::reading
