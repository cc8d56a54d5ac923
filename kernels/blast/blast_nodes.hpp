// kernels/blast/blast_nodes.hpp - who is what: nodes of so many ranks, and in each a master, a writer and workers.
//
// Rank 0 of the run is the application's master. Of a node's ranks the first is its master and, where there are three
// or more, the last its writer; all others are workers. Two ranks are one that is master and writer and one worker; a
// rank alone on its node is all three. So any number of ranks works, and every node has one writer.
//
// Example: 8 ranks, 5 to a node: node 0 is ranks 0 (masters), 1 to 3 (workers) and 4 (writer); node 1 is ranks 5
// (master), 6 (worker) and 7 (writer). Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weft/support/shape.hpp"

namespace weft::kernels::blast {

struct BlastNode {
  std::uint64_t first = 0;  // its first rank in the run
  std::uint64_t ranks = 1;

  std::uint64_t master() const { return first; }
  std::uint64_t writer() const { return ranks < 3 ? first : first + ranks - 1; }
  std::uint64_t first_worker() const { return ranks == 1 ? first : first + 1; }
  std::uint64_t workers() const { return ranks < 3 ? 1 : ranks - 2; }
  bool has_worker(std::uint64_t rank) const { return rank >= first_worker() && rank - first_worker() < workers(); }
};

struct BlastNodes {
  std::uint64_t ranks = 1;
  std::uint64_t per_node = 1;  // the last node may have fewer

  std::uint64_t count() const { return ceil_div(ranks, per_node); }
  std::uint64_t node_of(std::uint64_t rank) const { return rank / per_node; }
  BlastNode operator[](std::uint64_t node) const {
    const std::uint64_t first = node * per_node;
    return {first, std::min(per_node, ranks - first)};
  }
};

}  // namespace weft::kernels::blast
