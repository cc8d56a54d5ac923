// weft/convert/value_text.hpp - numbers as text: the shortest that reads back as the same number.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weft/support/data_type.hpp"

namespace weft::convert {

// Appends the number at `at`; it need not be aligned.
void append_value(DataType type, const std::byte* at, fmt::memory_buffer& to);

std::string values_text(DataType type, std::span<const std::byte> values, std::string_view between);

}  // namespace weft::convert
