#include "weft/convert/values.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weft::convert {

namespace {

template <typename From, typename To, typename PlaceOf>
void copy(const ColumnView& column, std::span<std::byte> bytes, const PlaceOf& place) {
  const From* from = reinterpret_cast<const From*>(column.data) + column.first;
  To* to = reinterpret_cast<To*>(bytes.data());
  const std::uint64_t points = bytes.size() / (column.components * sizeof(To));
  for (std::uint64_t i = 0; i < points; ++i) {
    const From* point = from + place(i) * column.width;
    for (std::uint64_t c = 0; c < column.components; ++c) *to++ = static_cast<To>(point[c]);
  }
}

template <typename PlaceOf>
void copy_as(const ColumnView& column, DataType as, std::span<std::byte> to, const PlaceOf& place) {
  with_type(column.type, [&](auto from) {
    using From = decltype(from);
    if (as == column.type) {
      copy<From, From>(column, to, place);
    } else if (as == DataType::float32) {
      copy<From, float>(column, to, place);
    } else {
      copy<From, double>(column, to, place);
    }
  });
}

}  // namespace

DataType written_type(DataType type, Precision precision) {
  return precision == Precision::float32 && type == DataType::float64 ? DataType::float32 : type;
}

void copy_column(const ColumnView& column, DataType as, std::span<std::byte> to) {
  if (as == column.type && column.width == column.components) {
    if (!to.empty()) std::memcpy(to.data(), column.data, to.size());
    return;
  }
  copy_as(column, as, to, [](std::uint64_t i) { return i; });
}

void copy_column(const ColumnView& column, DataType as, std::span<const std::int64_t> places, std::int64_t base,
                 std::span<std::byte> to) {
  copy_as(column, as, to, [&](std::uint64_t i) { return static_cast<std::uint64_t>(places[i] - base); });
}

void fill_missing(DataType type, std::span<std::byte> to) {
  with_type(type, [&](auto value) {
    using T = decltype(value);
    T* values = reinterpret_cast<T*>(to.data());
    std::fill(values, values + to.size() / sizeof(T),
              std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T{});
  });
}

}  // namespace weft::convert
