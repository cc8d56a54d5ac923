// weft/convert/values.hpp - values from the form they are read in to the one they are written in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/support/data_type.hpp"

#pragma GCC visibility push(default)

namespace weft::convert {

enum class Precision : std::uint8_t {
  keep,
  float32,  // float64 is written as float32; integers stay as they are
};

DataType written_type(DataType type, Precision precision);

// One column of points that lie side by side: point i has its values at `data` + (i * width + first) elements.
struct ColumnView {
  DataType type;
  const std::byte* data;
  std::uint64_t width;
  std::uint64_t first;
  std::uint64_t components;
};

// Fills `to`, [point][component] of type `as`, with points 0, 1, ... of the column, or with those numbered by `places`
// (counted from `base`) where there are any. How many there are is `to`'s length. `as` is the column's type, float32
// for float64, or float64.
void copy_column(const ColumnView& column, DataType as, std::span<std::byte> to);
void copy_column(const ColumnView& column, DataType as, std::span<const std::int64_t> places, std::int64_t base,
                 std::span<std::byte> to);

// NaN, or 0 where the type has none.
void fill_missing(DataType type, std::span<std::byte> to);

}  // namespace weft::convert

#pragma GCC visibility pop
