#include "predict/mpi_io.hpp"

#include <mpi.h>

#include <algorithm>

#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;

// Counts the requests of a rank alone, from data in the order of the file.
class OmpioAlone {
 public:
  void add(const Piece& piece) {
    if (piece.offset != end_) is_open_ = false;
    const std::uint64_t row_bytes = piece.bytes / piece.rows;
    for (std::uint64_t left = piece.bytes; left > 0;) {
      if (of_cycle_ == kCycle) {
        of_cycle_ = 0;
        is_open_ = false;
      }
      if (!is_open_ || rows_ == kMostRows) begin();
      // As far as neither limit is passed. A row that a cycle cuts is a row in both.
      const std::uint64_t part = std::min({left, kCycle - of_cycle_, (kMostRows - rows_) * row_bytes});
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

  static constexpr std::uint64_t kCycle = 512 * kMebibyte;
  static constexpr std::uint64_t kMostRows = 1024;
  Requests requests_;
  std::uint64_t end_ = 0;       // of the piece before, in the file
  std::uint64_t of_cycle_ = 0;  // bytes
  std::uint64_t rows_ = 0;      // of the request
  bool is_open_ = false;        // the request may become longer
};

Requests ompio_alone(const Given& rank) {
  OmpioAlone count;
  for (const Piece& piece : rank.pieces) count.add(piece);
  return count.requests();
}

struct Run {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t end() const { return offset + bytes; }
};

// Whether they are written with what lies between: where they are short and begin near each other, on average.
bool is_sieved(const std::vector<Run>& runs) {
  if (runs.size() < 2) return false;
  std::uint64_t bytes = 0;
  for (const Run& run : runs) bytes += run.bytes;
  const std::uint64_t apart = (runs.back().offset - runs.front().offset) / runs.size();
  return bytes / runs.size() <= kMebibyte && apart > 0 && apart <= 4096;
}

// Buffers of 64 MiB, of whole runs.
Requests ompio_sieved(const std::vector<Run>& runs) {
  Requests requests;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto next = std::ranges::find_if(first + 1, runs.end(),
                                           [&](const Run& run) { return run.end() - first->offset > 64 * kMebibyte; });
    requests.add({1, static_cast<double>((next - 1)->end() - first->offset)});
    first = next;
  }
  return requests;
}

// Where a rank gathers for others, all lies together in its memory. Data of 16 MiB are a cycle.
Requests ompio_gathered(const std::vector<Given>& ranks) {
  constexpr std::uint64_t kCycle = 16 * kMebibyte;
  std::vector<Piece> all;
  for (const Given& rank : ranks) all.insert(all.end(), rank.pieces.begin(), rank.pieces.end());
  std::ranges::sort(all, {}, &Piece::offset);
  Requests requests;
  std::vector<Run> runs;  // of the cycle
  std::uint64_t of_cycle = 0;
  const auto end_cycle = [&] {
    if (is_sieved(runs)) {
      requests.add(ompio_sieved(runs));
    } else {
      for (const Run& run : runs) requests.add({1, static_cast<double>(run.bytes)});
    }
    runs.clear();
    of_cycle = 0;
  };
  for (const Piece& piece : all) {
    for (std::uint64_t done = 0; done < piece.bytes;) {
      const std::uint64_t part = std::min(piece.bytes - done, kCycle - of_cycle);
      if (!runs.empty() && runs.back().end() == piece.offset + done) {
        runs.back().bytes += part;
      } else {
        runs.push_back({piece.offset + done, part});
      }
      of_cycle += part;
      done += part;
      if (of_cycle == kCycle) end_cycle();
    }
  }
  end_cycle();
  return requests;
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
