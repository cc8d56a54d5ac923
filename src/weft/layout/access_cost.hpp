// weft/layout/access_cost.hpp - what a request and a byte cost where the file lies.
//
// The two numbers decide which reads are worth joining (layout/read_cost, storage/read_plan) and which chunk shape is
// best (layout/design). Pure data: measuring them is storage/'s business.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)

namespace weft::layout {

struct AccessCost {
  // A busy parallel file system: 1 ms a request, 1 GB/s. What is assumed when nothing is said.
  double latency_s = 1e-3;
  double bandwidth = 1e9;  // bytes per second

  // No request moves more than this, so that long reads can be shared between threads and memory stays bounded.
  std::uint64_t max_request_bytes = 8ULL << 20;

  // The longest gap between two wanted ranges that is read over rather than skipped: reading it costs less than asking
  // again. With the default numbers 1 ms * 1 GB/s = 1,000,000 bytes.
  std::uint64_t bridge_bytes() const { return static_cast<std::uint64_t>(latency_s * bandwidth); }

  double seconds(std::uint64_t requests, std::uint64_t bytes) const {
    return static_cast<double>(requests) * latency_s + static_cast<double>(bytes) / bandwidth;
  }
};

}  // namespace weft::layout

#pragma GCC visibility pop
