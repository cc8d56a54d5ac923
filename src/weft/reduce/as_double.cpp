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
  with_type(type, [&]<typename T>(T) { pick<T>(bytes, stride, first, values); });
}

}  // namespace weft::reduce
