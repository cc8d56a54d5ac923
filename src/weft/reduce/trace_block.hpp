// weft/reduce/trace_block.hpp - the traces of some nodes, as they were read: [step][node][component].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/reduce/as_double.hpp"
#include "weft/support/data_type.hpp"

namespace weft::reduce {

// The memory is another's.
struct TraceBlock {
  DataType type = DataType::float64;
  std::span<const std::byte> bytes;
  std::uint64_t steps = 0;
  std::uint64_t nodes = 0;
  std::uint64_t components = 1;
  std::uint64_t component = 0;  // the one that is meant

  std::uint64_t step_bytes() const { return nodes * components * size_of(type); }
  std::span<const std::byte> steps_of(std::uint64_t first, std::uint64_t count) const {
    return bytes.subspan(first * step_bytes(), count * step_bytes());
  }
};

// Calls `visit(node, trace)` for each node of the block that is wanted(node). The steps of a node lie far apart, so
// nodes that share a cache line are taken out together.
template <typename Wanted, typename Visit>
void for_each_trace(const TraceBlock& block, const Wanted& wanted, const Visit& visit) {
  constexpr std::uint64_t kTogether = 8;
  const std::uint64_t node_bytes = block.components * size_of(block.type);
  std::vector<double> traces(kTogether * block.steps);
  std::vector<double> step_values(kTogether);
  for (std::uint64_t first = 0; first < block.nodes; first += kTogether) {
    const std::uint64_t lanes = std::min(kTogether, block.nodes - first);
    bool any = false;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) any = any || wanted(first + lane);
    if (!any) continue;
    for (std::uint64_t step = 0; step < block.steps; ++step) {
      const auto row = block.steps_of(step, 1).subspan(first * node_bytes, lanes * node_bytes);
      pick_as_double(block.type, row, block.components, block.component, std::span(step_values).first(lanes));
      for (std::uint64_t lane = 0; lane < lanes; ++lane) traces[lane * block.steps + step] = step_values[lane];
    }
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      if (!wanted(first + lane)) continue;
      visit(first + lane, std::span<const double>(traces).subspan(lane * block.steps, block.steps));
    }
  }
}

}  // namespace weft::reduce
