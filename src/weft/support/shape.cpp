#include "weft/support/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>

#include "weft/support/error.hpp"

namespace weft {

std::uint64_t element_count(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count) || count > std::numeric_limits<std::int64_t>::max()) {
      throw Error(ErrorKind::usage, "shape " + to_string(shape), "holds more than 2^63 - 1 elements",
                  "make it smaller");
    }
  }
  return count;
}

Box whole(const Shape& shape) { return {Shape(shape.size(), 0), shape}; }

Shape parse_shape(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return Error(ErrorKind::usage, fmt::format("shape '{}'", text), why,
                 "write extents of at least 1 with an x between them, as in 151x3253316x2");
  };
  Shape shape;
  std::string_view rest = text;
  while (true) {
    const std::size_t cut = rest.find('x');
    const std::string_view part = rest.substr(0, cut);
    std::uint64_t extent = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (error == std::errc::result_out_of_range) throw bad("an extent does not fit 64 bits");
    if (error != std::errc{} || end != part.data() + part.size()) throw bad("is not a shape");
    if (extent == 0) throw bad("has an extent of 0");
    shape.push_back(extent);
    if (cut == std::string_view::npos) break;
    rest.remove_prefix(cut + 1);
  }
  element_count(shape);
  return shape;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace weft
