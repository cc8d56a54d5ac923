#include "weft/convert/step_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "weft/support/error.hpp"

namespace weft::convert {

namespace {

Error bad(std::string_view text, std::string_view what) {
  return {ErrorKind::usage, fmt::format("--steps {}", text), what,
          "give FROM:BEFORE:EVERY, as 0:100:10, -5: or 7; steps count from 0"};
}

std::optional<std::int64_t> number(std::string_view text, std::string_view part) {
  if (part.empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size()) {
    throw bad(text, fmt::format("'{}' is not a step", part));
  }
  return value;
}

}  // namespace

std::vector<std::uint64_t> parse_steps(std::string_view text, std::uint64_t steps) {
  std::array<std::optional<std::int64_t>, 3> parts;
  std::size_t filled = 0;
  std::string_view rest = text;
  while (true) {
    const std::size_t colon = rest.find(':');
    if (filled == parts.size()) throw bad(text, "has more than three parts");
    parts[filled++] = number(text, rest.substr(0, colon));
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  const auto length = static_cast<std::int64_t>(steps);
  if (filled == 1 && parts[0]) {
    const std::int64_t step = *parts[0] < 0 ? *parts[0] + length : *parts[0];
    if (step < 0 || step >= length) throw bad(text, fmt::format("is not one of the {} steps", steps));
    return {static_cast<std::uint64_t>(step)};
  }
  const std::int64_t every = parts[2].value_or(1);
  if (every < 1) throw bad(text, "counts backwards");
  const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length); };
  const std::int64_t end = place(parts[1].value_or(length));
  std::vector<std::uint64_t> chosen;
  for (std::int64_t step = place(parts[0].value_or(0)); step < end;) {
    chosen.push_back(static_cast<std::uint64_t>(step));
    if (every > length) break;  // and no overflow
    step += every;
  }
  if (chosen.empty()) throw bad(text, fmt::format("selects none of the {} steps", steps));
  return chosen;
}

std::vector<StepRun> step_runs(const std::vector<std::uint64_t>& steps) {
  std::vector<StepRun> runs;
  for (const std::uint64_t step : steps) {
    if (!runs.empty() && runs.back().first + runs.back().count == step) {
      ++runs.back().count;
    } else {
      runs.push_back({step, 1});
    }
  }
  return runs;
}

}  // namespace weft::convert
