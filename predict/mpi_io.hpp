// predict/mpi_io.hpp - what an MPI library makes of the writes that it is given: the requests that reach the store.
//
// Libraries join pieces that touch, gather what ranks write together, and write over holes. The rules are those that
// were seen with strace, on one node and up to kMostRanks ranks (docs/predicting.md,
// tests/end_to_end/test_predicted_requests.py):
//
// OMPIO (Open MPI 4): a rank's pieces that touch in the file are one request, as far as they are at most 1,024 pieces
// of memory and within 512 MiB of the call's data. From 3 ranks on, what they write together goes through one of them,
// 16 MiB at a time, and pieces of several ranks are joined. Where these begin at most 4 KiB apart, on average, and are
// at most 1 MiB long, they are written with what the file has between them, 64 MiB at a time.
//
// ROMIO (MPICH): a rank alone writes one piece as it is. Several it puts into a buffer of 512 KiB that begins at the
// first, with what the file has between them, and the whole buffer is written. So is what lies apart in its memory.
// What ranks write together goes the same way where each has its own part of the file, one behind the other; else
// through one of them, in buffers of 16 MiB.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/workload.hpp"

namespace weft::predict {

enum class MpiIo : std::uint8_t { ompio, romio, other };

// Of the MPI that this program is built with.
MpiIo mpi_io();

// A stretch of a file. In the rank's memory it is `rows` stretches of equal length.
struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 1;
};

// What a rank gives to MPI-IO in one call.
struct Given {
  std::vector<Piece> pieces;  // none of 0 bytes; in the order of the file
  bool memory_in_one = true;  // as the call's type of memory has it
};

inline constexpr std::uint64_t kMostRanks = 8;

// Of a call of one rank. Nothing where the library is another.
std::optional<Requests> written_alone(MpiIo library, const Given& rank);

// Of a call of all ranks of one node. Nothing where the library is another, or ranks are more than kMostRanks.
std::optional<Requests> written_together(MpiIo library, const std::vector<Given>& ranks);

}  // namespace weft::predict
