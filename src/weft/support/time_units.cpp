#include "weft/support/time_units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace weft {

std::optional<double> seconds_in(std::string_view units) {
  constexpr std::array<std::pair<std::string_view, double>, 28> kNames{{
      {"ns", 1e-9},
      {"nanosecond", 1e-9},
      {"nanoseconds", 1e-9},
      {"us", 1e-6},
      {"microsecond", 1e-6},
      {"microseconds", 1e-6},
      {"ms", 1e-3},
      {"msec", 1e-3},
      {"msecs", 1e-3},
      {"millisecond", 1e-3},
      {"milliseconds", 1e-3},
      {"s", 1},
      {"sec", 1},
      {"secs", 1},
      {"second", 1},
      {"seconds", 1},
      {"min", 60},
      {"mins", 60},
      {"minute", 60},
      {"minutes", 60},
      {"h", 3600},
      {"hr", 3600},
      {"hrs", 3600},
      {"hour", 3600},
      {"hours", 3600},
      {"d", 86400},
      {"day", 86400},
      {"days", 86400},
  }};
  std::string name(units.substr(0, units.find(' ')));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& known) { return known.first == name; });
  if (found == kNames.end()) return std::nullopt;
  // A second word can only be the date that is counted from.
  const std::size_t space = units.find(' ');
  if (space != std::string_view::npos && !units.substr(space + 1).starts_with("since ")) return std::nullopt;
  return found->second;
}

}  // namespace weft
