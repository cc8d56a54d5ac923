// weft/support/data_type.hpp - the element types a field can have.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)

namespace weft {

enum class DataType : std::uint8_t { float32, float64, int32, int64, uint8 };

constexpr std::uint64_t size_of(DataType type) {
  switch (type) {
    case DataType::float64:
    case DataType::int64: return 8;
    case DataType::float32:
    case DataType::int32: return 4;
    case DataType::uint8: return 1;
  }
  return 0;
}

// "float64" and so on: NumPy's names.
constexpr std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::float32: return "float32";
    case DataType::float64: return "float64";
    case DataType::int32: return "int32";
    case DataType::int64: return "int64";
    case DataType::uint8: return "uint8";
  }
  return "unknown";
}

// The DataType of a C++ type, so that put(span<const double>) checks what it is given.
template <typename T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DataType::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DataType::float64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return DataType::int32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return DataType::int64;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>, "a field holds float32, float64, int32, int64 or uint8");
    return DataType::uint8;
  }
}

// Calls action(T{}), T the C++ type.
template <typename Action>
decltype(auto) with_type(DataType type, const Action& action) {
  switch (type) {
    case DataType::float32: return action(float{});
    case DataType::int32: return action(std::int32_t{});
    case DataType::int64: return action(std::int64_t{});
    case DataType::uint8: return action(std::uint8_t{});
    case DataType::float64: break;
  }
  return action(double{});
}

}  // namespace weft

#pragma GCC visibility pop
