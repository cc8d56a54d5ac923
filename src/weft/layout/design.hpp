// weft/layout/design.hpp - the chunk shape of a dataset, and why: what the stated reads will cost.
//
// Two ways to decide. `isotropic` (layout/isotropic.hpp) looks only at the size. `reads`, the default, weighs the reads
// the user states. A read costs, as Weft's reader would do it (layout/read_cost.hpp),
//
//     requests * latency + bytes / bandwidth, divided by latency + asked bytes / bandwidth
//
// so that a small read and a large one weigh alike: 1 is one request for exactly the bytes asked. The design is the
// chunk of least weighted sum among those
//   - of at most target_bytes, and below HDF5's 4 GiB;
//   - storing at most 5 % more than the dataset (edge padding);
//   - that let a snapshot move at most twice its bytes.
// A chunk of one element meets all three, so there is always a design and no rule is ever bent. With align_bytes,
// chunks of a multiple of it go before all others, where there are any.
//
// Chunks that are to be filtered are priced whole, decoded by one core (layout/read_cost.hpp), and the last rule does
// not hold for them: no chunk that serves a trace could keep it.
//
// Worked, 151x400000x2 doubles, 1 MiB, snapshot=1,trace=1, 1 ms and 1 GB/s: (19, 3449, 2). A trace is 8 requests and
// 7,891,440 bytes, 15.89 ms where 2,416 bytes in one request cost 1.00; a snapshot 116 requests, 122.40 ms where 7.40
// would do. 15.85 + 16.54 = 32.39 is the least there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "weft/layout/access_cost.hpp"
#include "weft/layout/axes.hpp"
#include "weft/layout/chunk_grid.hpp"
#include "weft/layout/read_cost.hpp"
#include "weft/layout/reads.hpp"
#include "weft/support/shape.hpp"

namespace weft::layout {

enum class Algorithm : std::uint8_t { reads, isotropic };

// "reads", "isotropic", and back; parsing throws Error(usage) for any other word.
std::string_view name_of(Algorithm algorithm);
Algorithm parse_algorithm(std::string_view text);

struct DesignRequest {
  Shape shape;
  std::uint64_t element_bytes = 8;
  std::uint64_t target_bytes = 1ULL << 20;
  Algorithm algorithm = Algorithm::reads;
  Axes axes;                                     // empty: default_axes()
  std::vector<NamedRead> reads;                  // empty: what read_text says
  std::string read_text = "snapshot=1,trace=1";  // see layout/reads.hpp
  std::uint64_t ranks = 0;                       // for a `block` in read_text; 0 where not known
  AccessCost access;
  std::uint64_t align_bytes = 0;  // 0: any chunk size will do
  std::optional<Coding> coding;   // of chunks that are to be filtered
};

struct PredictedRead {
  NamedRead read;
  ReadCost cost;
};

struct Design {
  DesignRequest request;  // as asked, axes and reads filled in
  bool chunk_given;       // the chunk came from describe(), not from request.algorithm
  Shape chunk;
  ChunkGrid grid;
  std::vector<PredictedRead> reads;

  bool aligned() const;  // chunks are a multiple of request.align_bytes; false where none was asked for
};

// Decides. Deterministic; some milliseconds whatever the extents. Throws Error(usage) for a request that cannot be
// used.
Design design(const DesignRequest& request);

// The same report for a chunk that is given: what the reads cost there. request.algorithm and target_bytes are not
// used.
Design describe(const DesignRequest& request, const Shape& chunk);

// What `weft layout --json` prints and what is stored beside a dataset as its rationale: shape, element_bytes,
// algorithm, target_bytes, chunk, chunks, chunk_bytes, waste, store{latency_s, bandwidth}, axes, align_bytes, for
// filtered chunks coding{stored_share, decode_bandwidth},
// reads{NAME{weight, asked_bytes, chunks, requests, bytes, amplification, hdf5_bytes, seconds}}.
nlohmann::json to_json(const Design& design);

}  // namespace weft::layout
