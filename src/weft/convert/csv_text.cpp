#include "weft/convert/csv_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::convert {

std::string csv_name(std::string_view name, std::string_view units) {
  std::string text = units.empty() ? std::string(name) : fmt::format("{} ({})", name, units);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_line(std::span<const std::string> names) { return fmt::format("{}\n", fmt::join(names, ",")); }

}  // namespace weft::convert
