#include "weft/convert/value_text.hpp"

#include <cstring>
#include <iterator>

#include "weft/convert/values.hpp"

namespace weft::convert {

void append_value(DataType type, const std::byte* at, fmt::memory_buffer& to) {
  with_type(type, [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    fmt::format_to(std::back_inserter(to), "{}", value);
  });
}

std::string values_text(DataType type, std::span<const std::byte> values, std::string_view between) {
  fmt::memory_buffer text;
  for (std::size_t at = 0; at < values.size(); at += size_of(type)) {
    if (at > 0) text.append(between.data(), between.data() + between.size());
    append_value(type, values.data() + at, text);
  }
  return fmt::to_string(text);
}

}  // namespace weft::convert
