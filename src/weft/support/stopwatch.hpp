// weft/support/stopwatch.hpp - elapsed wall time, and the slowest rank's.
#pragma once

#include <chrono>
#include <cstdint>

#include "weft/support/communicator.hpp"

namespace weft {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The largest of the ranks' seconds, to a nanosecond. Collective.
inline double slowest(Communicator& comm, double seconds) {
  return static_cast<double>(comm.max(static_cast<std::uint64_t>(seconds * 1e9))) / 1e9;
}

}  // namespace weft
