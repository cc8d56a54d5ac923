#include "weft/survey/pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::survey {

Pieces::Pieces(Shape shape, Shape piece) : shape_(std::move(shape)), piece_(std::move(piece)) {
  if (piece_.size() != shape_.size() || std::find(piece_.begin(), piece_.end(), 0U) != piece_.end()) {
    throw Error(ErrorKind::usage, fmt::format("pieces of {}", to_string(piece_)),
                fmt::format("do not divide an array of {}", to_string(shape_)),
                "give as many extents as the array has, each at least 1");
  }
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    counts_.push_back(ceil_div(shape_[axis], piece_[axis]));
    count_ *= counts_.back();
  }
}

Box Pieces::box(std::uint64_t number) const {
  Box box{Shape(shape_.size()), Shape(shape_.size())};
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    box.start[axis] = number % counts_[axis] * piece_[axis];
    box.count[axis] = std::min(piece_[axis], shape_[axis] - box.start[axis]);
    number /= counts_[axis];
  }
  return box;
}

std::string index_text(const Shape& index) { return fmt::format("[{}]", fmt::join(index, ", ")); }

Shape row_major_piece(const Shape& shape, std::uint64_t most_elements) {
  Shape piece(shape.size(), 1);
  std::uint64_t elements = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::uint64_t extent = std::max<std::uint64_t>(1, shape[axis]);
    const std::uint64_t room = std::max<std::uint64_t>(1, most_elements / elements);
    // Equal parts: of 9 planes where 4 fit, 3 and not 4.
    piece[axis] = ceil_div(extent, ceil_div(extent, room));
    if (piece[axis] < extent) break;
    elements *= extent;
  }
  return piece;
}

}  // namespace weft::survey
