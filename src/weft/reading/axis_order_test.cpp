#include "weft/reading/axis_order.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace weft::reading {
namespace {

TEST(AxisOrder, StepsStandFirstAndComponentsLast) {
  EXPECT_EQ(steps_then_places(layout::parse_axes("z,y,x,time", 4)), (AxisOrder{3, 0, 1, 2}));
  EXPECT_EQ(steps_then_places(layout::parse_axes("component,time,node", 3)), (AxisOrder{1, 2, 0}));
  EXPECT_TRUE(is_identity(steps_then_places(layout::default_axes(3))));
  EXPECT_EQ(reordered({3, 4, 5, 100}, {3, 0, 1, 2}), (Shape{100, 3, 4, 5}));
  EXPECT_EQ(as_in_dataset({100, 3, 4, 5}, {3, 0, 1, 2}), (Shape{3, 4, 5, 100}));
}

// Every order of four axes, against the index of each element.
TEST(AxisOrder, EveryElementComesToItsPlace) {
  const Shape shape{2, 3, 4, 5};
  std::vector<std::int32_t> from(element_count(shape));
  std::iota(from.begin(), from.end(), 0);
  AxisOrder order{0, 1, 2, 3};
  do {
    std::vector<std::int32_t> to(from.size(), -1);
    reorder(std::as_bytes(std::span(from)), shape, order, sizeof(std::int32_t), std::as_writable_bytes(std::span(to)));
    const Shape shown = reordered(shape, order);
    Shape index(4, 0);
    for (const std::int32_t value : to) {
      const Shape at = as_in_dataset(index, order);
      ASSERT_EQ(value, static_cast<std::int32_t>(((at[0] * 3 + at[1]) * 4 + at[2]) * 5 + at[3]));
      for (std::size_t axis = 4; axis-- > 0;) {
        if (++index[axis] < shown[axis]) break;
        index[axis] = 0;
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace weft::reading
