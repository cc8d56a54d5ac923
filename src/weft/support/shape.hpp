// weft/support/shape.hpp - shapes and boxes of arrays, 64-bit throughout.
//
// A shape lists extents, slowest axis first (row-major, as in HDF5 and NumPy). The empty shape is a scalar of one
// element.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace weft {

using Shape = std::vector<std::uint64_t>;

// A box of an array: `count[i]` elements from `start[i]` along every axis i.
struct Box {
  Shape start;
  Shape count;
  bool operator==(const Box&) const = default;
};

// The product of the extents; throws Error(usage) where it passes 2^63 - 1. The empty shape has one element.
std::uint64_t element_count(const Shape& shape);

// The box that is the whole array.
Box whole(const Shape& shape);

// "151x3253316x2" -> {151, 3253316, 2}. Every extent is at least 1; throws Error(usage) naming the text otherwise.
Shape parse_shape(std::string_view text);

// {151, 3253316, 2} -> "151x3253316x2"; a scalar reads "scalar".
std::string to_string(const Shape& shape);

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace weft

#pragma GCC visibility pop
