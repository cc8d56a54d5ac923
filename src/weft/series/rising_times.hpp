// weft/series/rising_times.hpp - the times of steps rise: a viewer that looks for a time finds one step.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "weft/support/error.hpp"

namespace weft::series {

class RisingTimes {
 public:
  // The time of the step before the next one, of a series that goes on.
  void begin_after(double time) { last_ = time; }
  // What is wrong with this time of step `step`; nothing where it is later than all before.
  std::optional<Error> take(const std::string& path, std::uint64_t step, double time);

 private:
  double last_ = -std::numeric_limits<double>::infinity();
};

}  // namespace weft::series
