// weft/survey/box_copy.hpp - a box of one row-major array to a place in another. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/support/shape.hpp"

namespace weft::survey {

// A row-major array in memory, and where in it a box begins.
template <typename Byte>
struct PlacedBytes {
  Byte* data;
  const Shape& shape;
  Shape at;
};
using Target = PlacedBytes<std::byte>;
using Source = PlacedBytes<const std::byte>;

// Copies count[i] elements along every axis i. Both boxes must lie inside their arrays, which do not overlap.
void copy_box(const Target& to, const Source& from, const Shape& count, std::uint64_t element_bytes);

// What two boxes have in common; a count of 0 somewhere where that is nothing.
Box common_part(const Box& a, const Box& b);

bool is_empty(const Box& box);

// Calls action(index) for every index of the box, row-major.
template <typename Action>
void for_each_index(const Box& box, const Action& action) {
  if (is_empty(box)) return;
  Shape index = box.start;
  while (true) {
    action(index);
    std::size_t i = index.size();
    while (i > 0) {
      --i;
      if (++index[i] < box.start[i] + box.count[i]) break;
      index[i] = box.start[i];
      if (i == 0) return;
    }
    if (index.empty()) return;
  }
}

// The chunks of a grid that a box of the dataset touches, as a box of chunk coordinates.
Box chunks_touched(const Box& box, const Shape& chunk);

// a - b, axis by axis: where something is, seen from a box's start.
Shape minus(const Shape& a, const Shape& b);

}  // namespace weft::survey
