#include "weft/series/rising_times.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weft::series {

std::optional<Error> RisingTimes::take(const std::string& path, std::uint64_t step, double time) {
  if (!std::isfinite(time)) {
    return Error(ErrorKind::usage, path, fmt::format("step {} is to end at the time {}", step, time),
                 "give end_step() a number");
  }
  if (!(time > last_)) {
    return Error(ErrorKind::usage, path,
                 fmt::format("step {} is to end at the time {}, and the step before it ended at {}", step, time, last_),
                 "give every step a later time");
  }
  last_ = time;
  return std::nullopt;
}

}  // namespace weft::series
