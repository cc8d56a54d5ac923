#include "weft/survey/box_copy.hpp"

#include <algorithm>
#include <cstring>

namespace weft::survey {

namespace {

// Rows of a length known to the compiler: a move of a register or two instead of a call.
template <std::size_t Bytes>
void copy_rows_of(std::byte* to, std::uint64_t to_stride, const std::byte* from, std::uint64_t from_stride,
                  std::uint64_t rows) {
  for (std::uint64_t row = 0; row < rows; ++row) std::memcpy(to + row * to_stride, from + row * from_stride, Bytes);
}

void copy_rows(std::byte* to, std::uint64_t to_stride, const std::byte* from, std::uint64_t from_stride,
               std::uint64_t rows, std::uint64_t bytes) {
  switch (bytes) {
    case 1: return copy_rows_of<1>(to, to_stride, from, from_stride, rows);
    case 2: return copy_rows_of<2>(to, to_stride, from, from_stride, rows);
    case 4: return copy_rows_of<4>(to, to_stride, from, from_stride, rows);
    case 8: return copy_rows_of<8>(to, to_stride, from, from_stride, rows);
    case 16: return copy_rows_of<16>(to, to_stride, from, from_stride, rows);
    case 24: return copy_rows_of<24>(to, to_stride, from, from_stride, rows);
    default:
      for (std::uint64_t row = 0; row < rows; ++row) std::memcpy(to + row * to_stride, from + row * from_stride, bytes);
  }
}

// Bytes from one element to the next along every axis.
Shape strides_of(const Shape& shape, std::uint64_t element_bytes) {
  Shape strides(shape.size());
  std::uint64_t stride = element_bytes;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::uint64_t offset_of(const Shape& at, const Shape& strides) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < at.size(); ++i) offset += at[i] * strides[i];
  return offset;
}

}  // namespace

void copy_box(const Target& to, const Source& from, const Shape& count, std::uint64_t element_bytes) {
  const Shape to_strides = strides_of(to.shape, element_bytes);
  const Shape from_strides = strides_of(from.shape, element_bytes);
  std::byte* target = to.data + offset_of(to.at, to_strides);
  const std::byte* source = from.data + offset_of(from.at, from_strides);

  // Axes [axes, rank) are one run of bytes in both arrays.
  std::size_t axes = count.size();
  std::uint64_t run = element_bytes;
  while (axes > 0) {
    --axes;
    run *= count[axes];
    if (count[axes] != to.shape[axes] || count[axes] != from.shape[axes]) break;
  }
  if (axes == 0) {
    std::memcpy(target, source, run);
    return;
  }
  // Axis axes - 1 is the rows; those before it are counted by `at`.
  const std::size_t rows = axes - 1;
  Shape at(rows, 0);
  while (true) {
    copy_rows(target + offset_of(at, to_strides), to_strides[rows], source + offset_of(at, from_strides),
              from_strides[rows], count[rows], run);
    std::size_t i = rows;
    while (i > 0) {
      --i;
      if (++at[i] < count[i]) break;
      at[i] = 0;
      if (i == 0) return;
    }
    if (rows == 0) return;
  }
}

Box common_part(const Box& a, const Box& b) {
  Box common = a;
  for (std::size_t i = 0; i < a.start.size(); ++i) {
    common.start[i] = std::max(a.start[i], b.start[i]);
    const std::uint64_t end = std::min(a.start[i] + a.count[i], b.start[i] + b.count[i]);
    common.count[i] = end > common.start[i] ? end - common.start[i] : 0;
  }
  return common;
}

bool is_empty(const Box& box) { return std::find(box.count.begin(), box.count.end(), 0U) != box.count.end(); }

Box chunks_touched(const Box& box, const Shape& chunk) {
  Box touched = box;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    touched.start[i] = box.start[i] / chunk[i];
    touched.count[i] = box.count[i] == 0 ? 0 : (box.start[i] + box.count[i] - 1) / chunk[i] - touched.start[i] + 1;
  }
  return touched;
}

Shape minus(const Shape& a, const Shape& b) {
  Shape difference;
  for (std::size_t i = 0; i < a.size(); ++i) difference.push_back(a[i] - b[i]);
  return difference;
}

}  // namespace weft::survey
