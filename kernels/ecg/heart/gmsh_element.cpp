#include "kernels/ecg/heart/gmsh_element.hpp"

#include <algorithm>
#include <array>

namespace weft::kernels::ecg {

std::optional<GmshElement> gmsh_element(std::int32_t type) {
  struct Shape {
    int dimension;
    std::array<std::int32_t, 10> types;  // by order; 0: none
    std::int32_t (*nodes)(std::int32_t order);
  };
  static constexpr std::array<Shape, 7> kShapes{{
      {1, {1, 8, 26, 27, 28, 62, 63, 64, 65, 66}, [](std::int32_t p) { return p + 1; }},
      {2, {2, 9, 21, 23, 25, 42, 43, 44, 45, 46}, [](std::int32_t p) { return (p + 1) * (p + 2) / 2; }},
      {2, {3, 10, 36, 37, 38, 47, 48, 49, 50, 51}, [](std::int32_t p) { return (p + 1) * (p + 1); }},
      {3, {4, 11, 29, 30, 31, 71, 72, 73, 74, 75}, [](std::int32_t p) { return (p + 1) * (p + 2) * (p + 3) / 6; }},
      {3, {5, 12, 92, 93, 94, 95, 96, 97, 98, 0}, [](std::int32_t p) { return (p + 1) * (p + 1) * (p + 1); }},
      {3, {6, 13, 90, 91, 106, 107, 108, 109, 110, 0}, [](std::int32_t p) { return (p + 1) * (p + 1) * (p + 2) / 2; }},
      {3,
       {7, 14, 118, 119, 120, 121, 122, 123, 124, 0},
       [](std::int32_t p) { return (p + 1) * (p + 2) * (2 * p + 3) / 6; }},
  }};
  if (type == 15) return GmshElement{0, 1};
  if (type == 16) return GmshElement{2, 8};   // of order 2, without the node in the middle
  if (type == 17) return GmshElement{3, 20};  // the same
  for (const Shape& shape : kShapes) {
    const auto* const found = std::find(shape.types.begin(), shape.types.end(), type);
    if (type <= 0 || found == shape.types.end()) continue;
    return GmshElement{shape.dimension, shape.nodes(static_cast<std::int32_t>(found - shape.types.begin()) + 1)};
  }
  return std::nullopt;
}

}  // namespace weft::kernels::ecg
