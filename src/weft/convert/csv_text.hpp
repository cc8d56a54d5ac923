// weft/convert/csv_text.hpp - the texts of a CSV file: RFC 4180, lines ended by a line feed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::convert {

// A name as it stands in the first line: with its unit, V (mV), and in quotes where it has a comma, a quote or a line's
// end in it.
std::string csv_name(std::string_view name, std::string_view units = {});

// The first line, with its end.
std::string csv_line(std::span<const std::string> names);

}  // namespace weft::convert
