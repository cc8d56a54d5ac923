#include "weft/support/amount.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "weft/support/error.hpp"

namespace weft {

namespace {

struct Split {
  double value;
  std::string unit;
};

// The number and the unit behind it; value is NaN where there is no finite number of at least zero.
Split split_quantity(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || !std::isfinite(value) || value < 0) value = std::nan("");
  std::string unit(end);
  std::erase(unit, ' ');
  return {value, unit};
}

// The factor of a byte unit, or 0 for a word that is none.
double byte_factor(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, double>, 18> units{{
      {"", 1},
      {"B", 1},
      {"k", 0x1p10},
      {"K", 0x1p10},
      {"M", 0x1p20},
      {"G", 0x1p30},
      {"T", 0x1p40},
      {"kB", 1e3},
      {"KB", 1e3},
      {"MB", 1e6},
      {"GB", 1e9},
      {"TB", 1e12},
      {"kiB", 0x1p10},
      {"KiB", 0x1p10},
      {"MiB", 0x1p20},
      {"GiB", 0x1p30},
      {"TiB", 0x1p40},
      {"b", 0},
  }};
  for (const auto& [name, factor] : units) {
    if (unit == name) return factor;
  }
  return 0;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  const auto [value, unit] = split_quantity(text);
  const double bytes = value * byte_factor(unit);
  if (!(bytes >= 0) || byte_factor(unit) == 0 || bytes >= 0x1p63) {
    throw Error(ErrorKind::usage, fmt::format("size '{}'", text), "is not a number of bytes",
                "write it as in 1MiB, 256kB or 4096");
  }
  return static_cast<std::uint64_t>(std::llround(bytes));
}

double parse_seconds(std::string_view text) {
  const auto [value, unit] = split_quantity(text);
  double factor = 0;
  if (unit.empty() || unit == "s") factor = 1;
  if (unit == "ms") factor = 1e-3;
  if (unit == "us") factor = 1e-6;
  if (unit == "ns") factor = 1e-9;
  if (factor == 0 || std::isnan(value)) {
    throw Error(ErrorKind::usage, fmt::format("time '{}'", text), "is not a duration",
                "write it as in 1ms, 20us or 0.5s");
  }
  return value * factor;
}

double parse_rate(std::string_view text) {
  auto [value, unit] = split_quantity(text);
  if (unit.ends_with("/s")) unit.resize(unit.size() - 2);
  const double rate = value * byte_factor(unit);
  if (!(rate > 0)) {
    throw Error(ErrorKind::usage, fmt::format("rate '{}'", text), "is not a bandwidth above zero",
                "write it as in 1GB/s or 800MB/s");
  }
  return rate;
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string format_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string format_count(std::uint64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace weft
