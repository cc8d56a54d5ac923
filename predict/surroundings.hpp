// predict/surroundings.hpp - what work depends on besides its options: the ranks, and what the store is like.
#pragma once

#include <cstdint>

#include "predict/rates.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

struct Surroundings {
  std::uint64_t ranks = 1;
  std::uint64_t ranks_per_node = 0;  // 0: one node has all of them
  Rates rates{};
  std::uint64_t most_request_bytes = 8ULL << 20;  // of a series (predict/series_shape.hpp)
  bool page_cache = false;                        // what is written goes to one of this machine
  std::uint64_t direct_from_bytes = UINT64_MAX;   // longer series are written past the page cache
  bool aligns = false;  // chunks of a series begin at pages where nobody says --align (storage/file_system)
  std::uint64_t stdio_bytes = 4096;  // that printf gathers for a write
  std::uint64_t cores = 0;           // of a node; 0: as many as ranks
  // One that Weft makes for bytes that lie together (storage/posix_store).
  std::uint64_t most_bytes_of_a_call() const { return page_cache ? most_request_bytes : UINT64_MAX; }
  std::uint64_t nodes() const { return ranks_per_node == 0 ? 1 : ceil_div(ranks, ranks_per_node); }
};

}  // namespace weft::predict
