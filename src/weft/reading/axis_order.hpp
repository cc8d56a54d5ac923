// weft/reading/axis_order.hpp - axes in the order in which Weft has them: the step, then places, then components.
//
// Worked: of (z, y, x, time) with 3 x 4 x 5 x 100 elements the order is 3, 0, 1, 2, and it is seen as 100 x 3 x 4 x 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/layout/axes.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::reading {

// Axis i of Weft's order is the dataset's axis order[i].
using AxisOrder = std::vector<std::size_t>;

AxisOrder steps_then_places(const layout::Axes& axes);
bool is_identity(const AxisOrder& order);

// What belongs to the dataset's axes, in the order of Weft's; and back.
Shape reordered(const Shape& of_dataset, const AxisOrder& order);
Shape as_in_dataset(const Shape& reordered, const AxisOrder& order);

// Copies a row-major array of the dataset's axes, `shape` long, to one of the reordered axes.
void reorder(std::span<const std::byte> from, const Shape& shape, const AxisOrder& order, std::uint64_t element_bytes,
             std::span<std::byte> to);

}  // namespace weft::reading

#pragma GCC visibility pop
