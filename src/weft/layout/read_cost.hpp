// weft/layout/read_cost.hpp - what reading a box of a chunked dataset costs, predicted exactly.
//
// The rule Weft's reader follows (storage/read_plan), and so the rule priced here:
//   1. The wanted box becomes byte ranges in file order: chunk after chunk in row-major number, each chunk a row-major
//      array of the full chunk shape.
//   2. Two neighbouring ranges become one run when they touch (also from the end of one chunk to the start of the
//      next), or when both lie in one chunk and the gap is at most store.bridge_bytes(). The gap is then read too.
//   3. A run of L bytes is asked for in ceil(L / store.max_request_bytes) requests.
//
// Worked: one node of 151x400000x2 doubles in chunks of 19x3449x2 touches 8 chunks. In each it is 19 ranges (18 in the
// last) of 16 bytes, 55,184 apart; the gap of 55,168 is below the 1,000,000 bytes worth bridging, so a chunk costs one
// request of 18 * 55,184 + 16 = 993,328 bytes. In all 8 requests and 7,891,440 bytes for 2,416 asked.
//
// The cost of predicting does not grow with the extents: no chunk is enumerated (see read_cost.cpp).
//
// Filtered chunks can only be read whole, a request each, and are decoded: `Coding`. The same trace of chunks that
// deflate halves, decoded at 250 MB/s: 8 requests, 4,193,984 bytes, 33.6 ms of decoding.
#pragma once

#include <cstdint>
#include <optional>

#include "weft/layout/access_cost.hpp"
#include "weft/layout/chunk_grid.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::layout {

// Chunks that pass through filters.
struct Coding {
  double stored_share = 1;        // the bytes of a chunk in the file over those in memory
  double decode_bandwidth = 1e9;  // bytes in memory that a core decodes in a second

  bool operator==(const Coding&) const = default;
};

struct ReadCost {
  std::uint64_t asked_bytes = 0;
  std::uint64_t chunks = 0;      // chunks touched
  std::uint64_t requests = 0;    // reads issued by Weft
  std::uint64_t bytes = 0;       // bytes those move, bridged gaps included
  std::uint64_t hdf5_bytes = 0;  // bytes HDF5 moves, which reads every touched chunk whole
  double decode_seconds = 0;     // of one core, undoing filters

  // Bytes moved for each byte asked; 1 where nothing was asked.
  double amplification() const;
  double seconds(const AccessCost& access) const { return access.seconds(requests, bytes) + decode_seconds; }
};

// The cost of reading `box`. A box with a count of 0 costs nothing. Throws Error(usage) where the box does not lie
// inside the dataset.
ReadCost predict(const ChunkGrid& grid, const Box& box, const AccessCost& access,
                 const std::optional<Coding>& coding = std::nullopt);

}  // namespace weft::layout

#pragma GCC visibility pop
