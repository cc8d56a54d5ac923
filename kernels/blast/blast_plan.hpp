// kernels/blast/blast_plan.hpp - what a search will ask of its files, for any number of ranks.
//
// How many blocks and writes there are follows from the lengths of the results, which are known without making them.
// How long blocks are is known only once they are compressed: so the plan makes and compresses the texts, up to 64 MiB
// (a run shares that work out), and beyond estimates them. Where tasks are dealt on demand it tells the static dealing,
// and a run is held to what does not depend on it.
#pragma once

#include <functional>
#include <vector>

#include "kernels/blast/blast_options.hpp"

namespace weft::kernels::blast {

inline constexpr std::uint64_t kMadeBytes = 64ULL << 20;  // of text, for a plan, on a rank

// Results that are compressed together: tasks[first .. first + count) of those of a node.
struct BlastBlock {
  std::uint64_t node = 0;
  std::uint64_t phase = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t text_bytes = 0;
};

struct BlastTotals {
  std::uint64_t text_bytes = 0;
  std::uint64_t blocks = 0;
};

// All blocks, phase after phase, node after node.
void visit_blocks(const BlastOptions& options, const RunOptions& run, std::uint64_t nodes,
                  const std::function<void(const BlastBlock&)>& visit);
BlastTotals blast_totals(const BlastOptions& options, const RunOptions& run, std::uint64_t nodes);

// The lengths of the compressed blocks number part, part + parts, ... in that order; 0 for the others.
std::vector<std::uint64_t> made_lengths(const BlastOptions& options, const RunOptions& run, std::uint64_t nodes,
                                        std::uint64_t part, std::uint64_t parts);

// The plan with lengths of blocks that are known, or estimated where there are none. Throws Error(usage).
KernelPlan plan_blast(const BlastOptions& options, const RunOptions& run, std::uint64_t ranks,
                      const std::vector<std::uint64_t>& lengths);
// The plan that makes the texts itself where they are few. Throws Error(usage).
KernelPlan plan_blast(const BlastOptions& options, const RunOptions& run, std::uint64_t ranks);

}  // namespace weft::kernels::blast
