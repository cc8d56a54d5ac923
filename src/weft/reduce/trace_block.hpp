// weft/reduce/trace_block.hpp - the traces in a block of values [step][node], one after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::reduce {

// Calls `visit(node, trace)` for each node of the block that is wanted(node). The steps of a node lie far apart, so
// nodes that share a cache line are taken out together.
template <typename Wanted, typename Visit>
void for_each_trace(std::span<const double> values, std::uint64_t steps, std::uint64_t nodes, const Wanted& wanted,
                    const Visit& visit) {
  constexpr std::uint64_t kTogether = 8;
  std::vector<double> traces(kTogether * steps);
  for (std::uint64_t first = 0; first < nodes; first += kTogether) {
    const std::uint64_t lanes = std::min(kTogether, nodes - first);
    bool any = false;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) any = any || wanted(first + lane);
    if (!any) continue;
    for (std::uint64_t step = 0; step < steps; ++step) {
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        traces[lane * steps + step] = values[step * nodes + first + lane];
      }
    }
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      if (wanted(first + lane)) visit(first + lane, std::span<const double>(traces).subspan(lane * steps, steps));
    }
  }
}

}  // namespace weft::reduce
