#include "weft/reduce/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::reduce {

namespace {

constexpr std::array<std::pair<std::string_view, std::variant<SampleKind, BeatKind>>, 12> kNames{
    {{"min", SampleKind::min},
     {"max", SampleKind::max},
     {"mean", SampleKind::mean},
     {"rms", SampleKind::rms},
     {"argmax_time", SampleKind::argmax_time},
     {"first_crossing", SampleKind::first_crossing},
     {"activation_time", BeatKind::activation_time},
     {"upstroke_time", BeatKind::upstroke_time},
     {"max_upstroke_velocity", BeatKind::max_upstroke_velocity},
     {"resting", BeatKind::resting},
     {"peak", BeatKind::peak},
     {"conduction_velocity", BeatKind::conduction_velocity}}};

Quantity parse_one(std::string_view name) {
  for (const auto& [known, kind] : kNames) {
    if (name == known) return {std::string(name), kind, 0};
  }
  if (name.starts_with("apd_")) {
    double percent = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 4, end, percent);
    if (error == std::errc() && stop == end && percent > 0 && percent < 100) {
      return {std::string(name), BeatKind::apd, percent};
    }
    throw Error(ErrorKind::usage, fmt::format("quantity '{}'", name), "needs a percentage between 0 and 100",
                "as in apd_90");
  }
  throw Error(ErrorKind::usage, fmt::format("quantity '{}'", name), "is not known", "there are " + quantity_names());
}

}  // namespace

std::string quantity_names() {
  std::string samples;
  std::string beats;
  for (const auto& [name, kind] : kNames)
    (std::holds_alternative<BeatKind>(kind) ? beats : samples) += std::string(name) + ", ";
  return samples.substr(0, samples.size() - 2) + "; per beat: " + beats + "apd_P";
}

std::vector<Quantity> parse_quantities(std::string_view text) {
  std::vector<Quantity> quantities;
  while (true) {
    const std::size_t comma = text.find(',');
    Quantity quantity = parse_one(text.substr(0, comma));
    for (const Quantity& before : quantities) {
      if (before.name != quantity.name) continue;
      throw Error(ErrorKind::usage, fmt::format("quantity '{}'", quantity.name), "is named twice", "name it once");
    }
    quantities.push_back(std::move(quantity));
    if (comma == std::string_view::npos) return quantities;
    text.remove_prefix(comma + 1);
  }
}

std::string units_of(const Quantity& quantity, const std::string& value_units, const std::string& time_units) {
  // Between two times no date counts: "hours" of CF's "hours since 1990-01-01".
  std::string duration = time_units.substr(0, time_units.find(" since "));
  if (const auto* kind = std::get_if<SampleKind>(&quantity.kind)) {
    switch (*kind) {
      case SampleKind::min:
      case SampleKind::max:
      case SampleKind::mean:
      case SampleKind::rms: return value_units;
      case SampleKind::argmax_time:
      case SampleKind::first_crossing: return time_units;
    }
  }
  switch (std::get<BeatKind>(quantity.kind)) {
    case BeatKind::activation_time:
    case BeatKind::upstroke_time: return time_units;
    case BeatKind::resting:
    case BeatKind::peak: return value_units;
    case BeatKind::max_upstroke_velocity:
      return value_units.empty() || duration.empty() ? "" : value_units + "/" + duration;
    case BeatKind::conduction_velocity: return duration.empty() ? "" : "length/" + duration;
    case BeatKind::apd: return duration;
  }
  std::abort();  // no such kind
}

bool wants_conduction(std::span<const Quantity> quantities) {
  return std::any_of(quantities.begin(), quantities.end(),
                     [](const Quantity& quantity) { return quantity.is(BeatKind::conduction_velocity); });
}

void check_settings(const std::string& where, std::span<const Quantity> quantities, std::size_t own,
                    const Settings& settings) {
  if (quantities.empty() && own == 0) {
    throw Error(ErrorKind::usage, where, "no quantity is named", "as in --quantity activation_time,apd_90");
  }
  if (settings.max_beats == 0) {
    throw Error(ErrorKind::usage, "--max-beats 0", "allows no beat", "give at least 1");
  }
  if (!std::isfinite(settings.threshold)) {
    throw Error(ErrorKind::usage, "the threshold", "is not a number", "give one, such as -30");
  }
  if (wants_conduction(quantities) && !settings.origin) {
    throw Error(ErrorKind::usage, "conduction_velocity", "is measured from a node, and none is named",
                "add --origin NODE");
  }
}

std::uint64_t rows_of(const Quantity& quantity, const Settings& settings) {
  return quantity.per_beat() ? settings.max_beats : 1;
}

}  // namespace weft::reduce
