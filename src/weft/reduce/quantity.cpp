#include "weft/reduce/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "weft/reduce/beats.hpp"
#include "weft/support/error.hpp"

namespace weft::reduce {

namespace {

constexpr std::array<std::pair<std::string_view, Kind>, 11> kNames{
    {{"min", Kind::min},
     {"max", Kind::max},
     {"mean", Kind::mean},
     {"rms", Kind::rms},
     {"argmax_time", Kind::argmax_time},
     {"first_crossing", Kind::first_crossing},
     {"activation_time", Kind::activation_time},
     {"upstroke_time", Kind::upstroke_time},
     {"max_upstroke_velocity", Kind::max_upstroke_velocity},
     {"resting", Kind::resting},
     {"peak", Kind::peak}}};

Quantity parse_one(std::string_view name) {
  for (const auto& [known, kind] : kNames) {
    if (name == known) return {std::string(name), kind, 0};
  }
  if (name.starts_with("apd_")) {
    double percent = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 4, end, percent);
    if (error == std::errc() && stop == end && percent > 0 && percent < 100) {
      return {std::string(name), Kind::apd, percent};
    }
    throw Error(ErrorKind::usage, fmt::format("quantity '{}'", name), "needs a percentage between 0 and 100",
                "as in apd_90");
  }
  std::string all;
  for (const auto& [known, kind] : kNames) all += std::string(known) + ", ";
  throw Error(ErrorKind::usage, fmt::format("quantity '{}'", name), "is not known", "there are " + all + "apd_P");
}

double over_all(std::span<const double> v, std::span<const double> t, const Quantity& quantity, double threshold) {
  if (v.empty()) return kMissing;
  switch (quantity.kind) {
    case Kind::min: return *std::min_element(v.begin(), v.end());
    case Kind::max: return *std::max_element(v.begin(), v.end());
    case Kind::argmax_time: return t[static_cast<std::size_t>(std::max_element(v.begin(), v.end()) - v.begin())];
    case Kind::mean:
    case Kind::rms: {
      double sum = 0;
      for (const double value : v) sum += quantity.kind == Kind::mean ? value : value * value;
      const double mean = sum / static_cast<double>(v.size());
      return quantity.kind == Kind::mean ? mean : std::sqrt(mean);
    }
    default:
      for (std::size_t i = 1; i < v.size(); ++i) {
        if (v[i] > threshold && v[i - 1] <= threshold) return crossing_time(t[i - 1], v[i - 1], t[i], v[i], threshold);
      }
      return kMissing;
  }
}

double of_beat(const Beat& beat, Kind kind) {
  switch (kind) {
    case Kind::activation_time: return beat.onset;
    case Kind::upstroke_time: return beat.upstroke_time;
    case Kind::max_upstroke_velocity: return beat.upstroke_velocity;
    case Kind::resting: return beat.resting;
    default: return beat.peak;
  }
}

}  // namespace

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
  switch (quantity.kind) {
    case Kind::min:
    case Kind::max:
    case Kind::mean:
    case Kind::rms:
    case Kind::resting:
    case Kind::peak: return value_units;
    case Kind::max_upstroke_velocity:
      return value_units.empty() || time_units.empty() ? "" : value_units + "/" + time_units;
    default: return time_units;
  }
}

std::uint64_t rows_of(const Quantity& quantity, const Settings& settings) {
  return quantity.per_beat() ? settings.max_beats : 1;
}

std::uint64_t reduce_trace(std::span<const double> v, std::span<const double> t, std::span<const Quantity> quantities,
                           const Settings& settings, std::span<const std::span<double>> rows) {
  std::vector<Beat> beats;
  if (std::any_of(quantities.begin(), quantities.end(), [](const Quantity& q) { return q.per_beat(); })) {
    beats = find_beats(v, t, settings.threshold);
  }
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    std::span<double> out = rows[q];
    std::fill(out.begin(), out.end(), kMissing);
    if (!quantities[q].per_beat()) {
      out[0] = over_all(v, t, quantities[q], settings.threshold);
      continue;
    }
    std::vector<double> durations;
    if (quantities[q].kind == Kind::apd) {
      durations = action_potential_durations(v, t, beats, settings.threshold, quantities[q].percent);
    }
    for (std::size_t b = 0; b < std::min(out.size(), beats.size()); ++b) {
      out[b] = quantities[q].kind == Kind::apd ? durations[b] : of_beat(beats[b], quantities[q].kind);
    }
  }
  return beats.size();
}

}  // namespace weft::reduce
