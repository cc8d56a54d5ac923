#include "weft/reduce/as_double.hpp"

namespace weft::reduce {

namespace {

template <typename T>
void pick(std::span<const std::byte> bytes, std::uint64_t stride, std::uint64_t first, std::span<double> values) {
  const auto* from = reinterpret_cast<const T*>(bytes.data());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(from[i * stride + first]);
}

}  // namespace

void pick_as_double(DataType type, std::span<const std::byte> bytes, std::uint64_t stride, std::uint64_t first,
                    std::span<double> values) {
  switch (type) {
    case DataType::float32: return pick<float>(bytes, stride, first, values);
    case DataType::float64: return pick<double>(bytes, stride, first, values);
    case DataType::int32: return pick<std::int32_t>(bytes, stride, first, values);
    case DataType::int64: return pick<std::int64_t>(bytes, stride, first, values);
    case DataType::uint8: return pick<std::uint8_t>(bytes, stride, first, values);
  }
}

}  // namespace weft::reduce
