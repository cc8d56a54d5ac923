#include "weft/layout/chunk_grid.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::layout {

namespace {

// a *= b; false where the product passes 2^63 - 1.
bool multiply_within_63_bits(std::uint64_t& a, std::uint64_t b) {
  return !__builtin_mul_overflow(a, b, &a) && a <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace

ChunkGrid::ChunkGrid(Shape shape, Shape chunk, std::uint64_t element_bytes)
    : ChunkGrid(std::move(shape), std::move(chunk), element_bytes, Limits{}) {}

ChunkGrid ChunkGrid::stored(const Shape& shape, const Shape& chunk, std::uint64_t element_bytes) {
  if (chunk == shape) return contiguous(shape, element_bytes);
  return {shape, chunk, element_bytes, Limits{.inside = false}};
}

ChunkGrid ChunkGrid::contiguous(const Shape& shape, std::uint64_t element_bytes) {
  return {shape, shape, element_bytes, Limits{.most_chunk_bytes = std::numeric_limits<std::int64_t>::max()}};
}

ChunkGrid::ChunkGrid(Shape shape, Shape chunk, std::uint64_t element_bytes, const Limits& limits)
    : shape_(std::move(shape)), chunk_(std::move(chunk)), element_bytes_(element_bytes) {
  const auto bad = [&](std::string_view what, std::string_view remedy) {
    return Error(ErrorKind::usage, fmt::format("chunk {} of {}", to_string(chunk_), to_string(shape_)), what, remedy);
  };
  if (shape_.empty()) throw bad("a scalar has no chunks", "give a shape of at least one axis");
  if (chunk_.size() != shape_.size()) {
    throw bad(fmt::format("has {} axes where the dataset has {}", chunk_.size(), shape_.size()),
              "give one chunk extent per axis");
  }
  if (element_bytes_ == 0) throw bad("elements of 0 bytes", "give an element size of at least 1");

  counts_.reserve(shape_.size());
  std::uint64_t chunk_bytes = element_bytes_;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] == 0 || chunk_[axis] == 0) throw bad("an extent is 0", "every extent is at least 1");
    if (limits.inside && chunk_[axis] > shape_[axis]) {
      throw bad(fmt::format("reaches beyond the dataset along axis {}", axis),
                fmt::format("use an extent of at most {} there", shape_[axis]));
    }
    counts_.push_back(ceil_div(shape_[axis], chunk_[axis]));
    if (!multiply_within_63_bits(chunk_bytes, chunk_[axis]) || chunk_bytes > limits.most_chunk_bytes) {
      throw limits.most_chunk_bytes < chunk_byte_limit
          ? bad("is 4 GiB or larger, more than HDF5 can store", "make it smaller")
          : bad("takes more than 2^63 - 1 bytes", "make it smaller");
    }
  }
  chunk_elements_ = chunk_bytes / element_bytes_;

  std::uint64_t stored_bytes = chunk_bytes;
  for (const std::uint64_t count : counts_) {
    if (!multiply_within_63_bits(stored_bytes, count)) {
      throw bad("the dataset takes more than 2^63 - 1 bytes", "make it smaller");
    }
  }
  chunks_ = stored_bytes / chunk_bytes;
}

double ChunkGrid::waste() const {
  const std::uint64_t asked = element_count(shape_);
  return static_cast<double>(chunks_ * chunk_elements_ - asked) / static_cast<double>(asked);
}

std::uint64_t ChunkGrid::linear(const Shape& chunk_coordinates) const {
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < counts_.size(); ++axis) number = number * counts_[axis] + chunk_coordinates[axis];
  return number;
}

Shape ChunkGrid::coordinates(std::uint64_t linear) const {
  Shape at(counts_.size());
  for (std::size_t axis = counts_.size(); axis-- > 0;) {
    at[axis] = linear % counts_[axis];
    linear /= counts_[axis];
  }
  return at;
}

}  // namespace weft::layout
