#include "predict/mpi_io.hpp"

#include <mpi.h>

#include <algorithm>

#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;

// Counts requests as a library forms them, from data in the order of the file.
class Ompio {
 public:
  Ompio(std::uint64_t cycle_bytes, std::uint64_t most_rows) : cycle_bytes_(cycle_bytes), most_rows_(most_rows) {}

  void add(const Piece& piece) {
    if (piece.offset != end_) is_open_ = false;
    const std::uint64_t row_bytes = piece.bytes / piece.rows;
    for (std::uint64_t left = piece.bytes; left > 0;) {
      if (of_cycle_ == cycle_bytes_) {
        of_cycle_ = 0;
        is_open_ = false;
      }
      if (!is_open_ || rows_ == most_rows_) begin();
      // As far as neither limit is passed. A row that a cycle cuts is a row in both.
      const std::uint64_t part = std::min({left, cycle_bytes_ - of_cycle_, (most_rows_ - rows_) * row_bytes});
      rows_ += ceil_div(part, row_bytes);
      of_cycle_ += part;
      left -= part;
    }
    end_ = piece.offset + piece.bytes;
    requests_.bytes += static_cast<double>(piece.bytes);
  }

  const Requests& requests() const { return requests_; }

 private:
  void begin() {
    requests_.writes += 1;
    rows_ = 0;
    is_open_ = true;
  }

  std::uint64_t cycle_bytes_;
  std::uint64_t most_rows_;
  Requests requests_;
  std::uint64_t end_ = 0;       // of the piece before, in the file
  std::uint64_t of_cycle_ = 0;  // bytes
  std::uint64_t rows_ = 0;      // of the request
  bool is_open_ = false;        // the request may become longer
};

Requests ompio_alone(const Given& rank) {
  Ompio count(512 * kMebibyte, 1024);
  for (const Piece& piece : rank.pieces) count.add(piece);
  return count.requests();
}

// Where a rank gathers for others, all lies together in its memory.
Requests ompio_gathered(const std::vector<Given>& ranks) {
  std::vector<Piece> all;
  for (const Given& rank : ranks) all.insert(all.end(), rank.pieces.begin(), rank.pieces.end());
  std::ranges::sort(all, {}, &Piece::offset);
  Ompio count(16 * kMebibyte, 16 * kMebibyte);
  for (const Piece& piece : all) count.add({piece.offset, piece.bytes, 1});
  return count.requests();
}

// Whether they are one piece.
bool touch(const std::vector<Piece>& pieces) {
  return std::ranges::adjacent_find(pieces, [](const Piece& one, const Piece& next) {
           return one.offset + one.bytes != next.offset;
         }) == pieces.end();
}

Requests romio_alone(const Given& rank) {
  constexpr std::uint64_t kBuffer = 512ULL << 10;
  Requests requests;
  if (rank.pieces.empty()) return requests;
  const std::uint64_t end = rank.pieces.back().offset + rank.pieces.back().bytes;
  if (rank.memory_in_one && touch(rank.pieces)) {
    return {1, static_cast<double>(end - rank.pieces.front().offset)};
  }
  std::uint64_t buffer_end = 0;
  const auto begin = [&](std::uint64_t offset) {
    const std::uint64_t bytes = std::min(kBuffer, end - offset);
    buffer_end = offset + bytes;
    requests.writes += 1;
    requests.bytes += static_cast<double>(bytes);
  };
  for (const Piece& piece : rank.pieces) {
    if (piece.offset >= buffer_end) begin(piece.offset);
    while (piece.offset + piece.bytes > buffer_end) begin(buffer_end);
  }
  return requests;
}

// Each buffer that any rank has bytes of is written in one request, with what lies between.
Requests romio_gathered(const std::vector<Given>& ranks) {
  constexpr std::uint64_t kBuffer = 16 * kMebibyte;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t end = 0;
  for (const Given& rank : ranks) {
    if (rank.pieces.empty()) continue;
    first = std::min(first, rank.pieces.front().offset);
    end = std::max(end, rank.pieces.back().offset + rank.pieces.back().bytes);
  }
  if (end == 0) return {};
  std::vector<bool> written(ceil_div(end - first, kBuffer));
  for (const Given& rank : ranks) {
    for (const Piece& piece : rank.pieces) {
      const std::uint64_t last = (piece.offset + piece.bytes - 1 - first) / kBuffer;
      for (std::uint64_t buffer = (piece.offset - first) / kBuffer; buffer <= last; ++buffer) written[buffer] = true;
    }
  }
  Requests requests;
  for (std::uint64_t buffer = 0; buffer < written.size(); ++buffer) {
    if (!written[buffer]) continue;
    requests.writes += 1;
    requests.bytes += static_cast<double>(std::min(kBuffer, end - first - buffer * kBuffer));
  }
  return requests;
}

// Whether a rank's bytes begin before those of the rank before it end.
bool interleave(const std::vector<Given>& ranks) {
  std::uint64_t end = 0;
  for (const Given& rank : ranks) {
    if (rank.pieces.empty()) continue;
    if (rank.pieces.front().offset < end) return true;
    end = rank.pieces.back().offset + rank.pieces.back().bytes;
  }
  return false;
}

}  // namespace

MpiIo mpi_io() {
#if defined(OMPI_MAJOR_VERSION)
  return OMPI_MAJOR_VERSION == 4 ? MpiIo::ompio : MpiIo::other;
#elif defined(MPICH_NUMVERSION)
  return MpiIo::romio;
#else
  return MpiIo::other;
#endif
}

std::optional<Requests> written_alone(MpiIo library, const Given& rank) {
  switch (library) {
    case MpiIo::ompio: return ompio_alone(rank);
    case MpiIo::romio: return romio_alone(rank);
    case MpiIo::other: break;
  }
  return std::nullopt;
}

std::optional<Requests> written_together(MpiIo library, const std::vector<Given>& ranks) {
  if (library == MpiIo::other || ranks.size() > kMostRanks) return std::nullopt;
  if (library == MpiIo::ompio && ranks.size() > 2) return ompio_gathered(ranks);
  if (library == MpiIo::romio && interleave(ranks)) return romio_gathered(ranks);
  Requests sum;
  for (const Given& rank : ranks) {
    sum.add(*written_alone(library, rank));
  }
  return sum;
}

}  // namespace weft::predict
