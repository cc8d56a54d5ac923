// weft/storage/read_plan.hpp - which bytes of the file a read asks for, and where each goes in memory.
//
// A plan is pure data: made from an array's entry in the catalog, a box and what the store's requests cost, without
// touching the file. It can be printed and compared; storage/read_executor acts on it. The rule of joining is the one
// layout/read_cost prices, so a plan has exactly the predicted requests and bytes wherever chunks lie row-major behind
// one another, as HDF5 puts them:
//   1. The wanted ranges are taken in file order.
//   2. Neighbours become one run when they touch (across chunks too), or when both lie in the same chunk and the gap is
//      at most access.bridge_bytes(): reading over it costs less than asking again. Other gaps are never read.
//   3. A run of L bytes becomes ceil(L / access.max_request_bytes) requests of nearly equal length.
//
// Worked: one node of 151x400000x2 doubles in chunks of 19x3449x2 touches 8 chunks, in each 19 rows (18 in the last, of
// 151 - 7 * 19) of 16 bytes, 55,184 apart. At 1 ms and 1 GB/s a gap of 55,168 bytes is bridged: 8 requests of at most
// 18 * 55,184 + 16 = 993,328 bytes, each with one piece of 19 rows. At 1 us and 5 GB/s only 5,000 bytes are bridged:
// 151 requests of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/layout/access_cost.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// Wanted bytes: `rows` equal rows, evenly spaced in the file and in the destination. Strides mean nothing for one row.
struct ReadPiece {
  std::uint64_t file_offset;
  std::uint64_t destination;  // bytes from the destination's start
  std::uint64_t row_bytes;
  std::uint64_t rows;
  std::uint64_t file_stride;
  std::uint64_t destination_stride;

  std::uint64_t file_end() const { return file_offset + (rows - 1) * file_stride + row_bytes; }
};

// One read of the file. What lies between its pieces is gap: read and dropped.
struct ReadRequest {
  std::uint64_t file_offset;
  std::uint64_t length;
  std::size_t first_piece;  // its pieces are ReadPlan::pieces[first_piece, + pieces), in file order
  std::size_t pieces;
};

struct ReadPlan {
  std::vector<ReadPiece> pieces;
  std::vector<ReadRequest> requests;
  std::uint64_t wanted_bytes = 0;  // the destination's size

  std::span<const ReadPiece> pieces_of(const ReadRequest& request) const {
    return std::span(pieces).subspan(request.first_piece, request.pieces);
  }
  // What the requests move, bridged gaps included.
  std::uint64_t bytes() const;
};

// The destination is the row-major array of `box.count`. Throws Error(usage) where the box does not lie inside the
// array, Error(data) where the array is filtered: its chunks can only be read whole and decoded.
ReadPlan plan_read(const ArrayEntry& array, const Box& box, const layout::AccessCost& access);

// The same, behind what `plan` already holds, for a box that spans several arrays: its bytes go behind those wanted so
// far. Arrays are never joined.
void append_read(ReadPlan& plan, const ArrayEntry& array, const Box& box, const layout::AccessCost& access);

// One line a request, at most `most_lines` of them, under a line of totals.
std::string describe(const ReadPlan& plan, std::size_t most_lines = 20);

}  // namespace weft::storage

#pragma GCC visibility pop
