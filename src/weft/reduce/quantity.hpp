// weft/reduce/quantity.hpp - the quantities over time that a trace can be reduced to, by name.
//
//   min, max, mean, rms        of all samples
//   argmax_time                when the maximum is reached first
//   first_crossing             when the threshold is first crossed upwards, linearly interpolated
//   activation_time, upstroke_time, max_upstroke_velocity, resting, peak, apd_P (as apd_90)      per beat: beats.hpp
//   conduction_velocity        per beat, from Settings::origin: conduction.hpp
// Sums run in the order of the steps. Samples that are NaN, as where a file says that a value is missing, are passed
// over. NaN where there is nothing to say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::reduce {

// Whoever switches over these names them all, without a default: a new one does not compile until it is handled.
enum class SampleKind : std::uint8_t {
  min,
  max,
  mean,
  rms,
  argmax_time,
  first_crossing,
};
enum class BeatKind : std::uint8_t {
  activation_time,
  upstroke_time,
  max_upstroke_velocity,
  resting,
  peak,
  apd,
  conduction_velocity,
};

struct Quantity {
  std::string name;  // as it was asked for
  std::variant<SampleKind, BeatKind> kind{};
  double percent = 0;  // of an apd

  bool per_beat() const { return std::holds_alternative<BeatKind>(kind); }
  bool is(std::variant<SampleKind, BeatKind> which) const { return kind == which; }
};

// "activation_time,peak,apd_90". Throws Error(usage) on a name that is not known or named twice, and on apd_P with P
// not between 0 and 100.
std::vector<Quantity> parse_quantities(std::string_view text);

// The names that parse_quantities() takes, for help texts: "min, max, ...; per beat: ..., apd_P".
std::string quantity_names();

// The unit of a quantity of a field in `value_units` over a time in `time_units`; "" where it is not known.
std::string units_of(const Quantity& quantity, const std::string& value_units, const std::string& time_units);

struct Settings {
  double threshold = -30.0;
  std::uint64_t max_beats = 8;            // rows of a quantity per beat
  std::optional<std::uint64_t> origin{};  // the node conduction velocities are measured from
};

// Throws Error(usage) where no quantity is named (nor an own one), no row is left for beats, the threshold is no
// number, or a conduction velocity has no origin.
void check_settings(const std::string& where, std::span<const Quantity> quantities, std::size_t own,
                    const Settings& settings);
bool wants_conduction(std::span<const Quantity> quantities);

// Rows of `quantity`: one, or max_beats.
std::uint64_t rows_of(const Quantity& quantity, const Settings& settings);

}  // namespace weft::reduce

#pragma GCC visibility pop
