#include "kernels/io/extent.hpp"

#include <fmt/format.h>

#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels {

Extent parse_extent(std::string_view option, const std::string& text) {
  Shape shape;
  try {
    shape = parse_shape(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, option, error.what());
  }
  if (shape.size() != 3) {
    throw Error(ErrorKind::usage, fmt::format("{} {}", option, text), "is not a number along each of x, y and z",
                "write it as in 202x125x106");
  }
  return {shape[0], shape[1], shape[2]};
}

std::string to_string(const Extent& extent) { return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]); }

}  // namespace weft::kernels
