// weft/convert/step_range.hpp - which steps are meant by "a:b:c".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::convert {

// The steps of `text` out of `steps`, rising. As a slice of Python's: from a on, before b, every c-th; negative a and b
// count from the end, each part may be left out. A number alone is that one step; "" is all. Throws Error(usage) where
// the text is no such thing, counts backwards, or leaves no step.
//
// Examples of 10 steps: "2:8:3" is 2, 5; "-3:" is 7, 8, 9; "-1" is 9; "::4" is 0, 4, 8.
std::vector<std::uint64_t> parse_steps(std::string_view text, std::uint64_t steps);

// Consecutive steps: `count` from `first` on.
struct StepRun {
  std::uint64_t first;
  std::uint64_t count;
  bool operator==(const StepRun&) const = default;
};

// {2, 3, 4, 8, 9} -> {2, 3}, {8, 2}.
std::vector<StepRun> step_runs(const std::vector<std::uint64_t>& steps);

}  // namespace weft::convert

#pragma GCC visibility pop
