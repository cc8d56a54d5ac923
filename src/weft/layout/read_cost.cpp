#include "weft/layout/read_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::layout {

namespace {

// What a stretch of the file holds of a read, seen from outside: enough to join it to what comes before and after
// without knowing the ranges inside. Joining is associative, which is what lets equal pieces be repeated in one step.
struct RunProfile {
  std::uint64_t bytes;            // of all runs, the open ones included
  std::uint64_t closed_requests;  // of the runs that no neighbour can join any more
  std::uint64_t head;             // length of the first run
  std::uint64_t tail;             // length of the last run; the same run as the first where `single`
  bool single;
  bool at_chunk_start;  // the first run starts with its chunk's first byte
  bool at_chunk_end;    // the last run ends with its chunk's last byte
};

// How a piece and its successor meet.
struct Meeting {
  bool joined;
  std::uint64_t gap;  // bytes between them, read when joined
};

class Predictor {
 public:
  Predictor(const ChunkGrid& grid, const Box& box, const AccessCost& access) : grid_(grid), access_(access) {
    const std::size_t rank = grid.shape().size();
    pieces_.resize(rank);
    wraps_.resize(rank);
    stride_.resize(rank);
    local_start_.resize(rank);
    local_count_.resize(rank);
    std::uint64_t stride = grid.element_bytes();
    bool covers_later_axes = true;
    for (std::size_t axis = rank; axis-- > 0;) {
      stride_[axis] = stride;
      stride *= grid.chunk()[axis];
      pieces_[axis] = cut_into_chunks(grid.chunk()[axis], box.start[axis], box.count[axis]);
      wraps_[axis] = covers_later_axes;
      covers_later_axes = covers_later_axes && pieces_[axis].chunks == grid.counts()[axis];
    }
  }

  ReadCost cost() {
    const RunProfile whole = across_chunks(0);
    ReadCost result;
    result.chunks = 1;
    for (const AxisPieces& pieces : pieces_) result.chunks *= pieces.chunks;
    result.requests = whole.closed_requests + requests(whole.head) + (whole.single ? 0 : requests(whole.tail));
    result.bytes = whole.bytes;
    result.hdf5_bytes = result.chunks * grid_.chunk_bytes();
    return result;
  }

 private:
  // The box along one axis: `repeat` chunks in a row of which it takes the same local range.
  struct Piece {
    std::uint64_t start;
    std::uint64_t count;
    std::uint64_t repeat;
  };

  // At most three kinds: the first chunk, those between, the last.
  struct AxisPieces {
    std::array<Piece, 3> kinds;
    std::size_t size = 0;
    std::uint64_t chunks = 0;

    void add(const Piece& piece) {
      chunks += piece.repeat;
      if (size > 0 && kinds[size - 1].start == piece.start && kinds[size - 1].count == piece.count) {
        kinds[size - 1].repeat += piece.repeat;  // a first or last chunk taken whole is like those between
      } else {
        kinds[size++] = piece;
      }
    }
  };

  // Worked: the range [5, 20) in chunks of 6 is [5, 6) of chunk 0, [0, 6) of chunks 1 and 2, [0, 2) of chunk 3.
  static AxisPieces cut_into_chunks(std::uint64_t chunk, std::uint64_t start, std::uint64_t count) {
    const std::uint64_t last = start + count - 1;
    const std::uint64_t first_chunk = start / chunk;
    const std::uint64_t last_chunk = last / chunk;
    AxisPieces pieces;
    if (first_chunk == last_chunk) {
      pieces.add({start % chunk, count, 1});
      return pieces;
    }
    pieces.add({start % chunk, chunk - start % chunk, 1});
    if (last_chunk - first_chunk > 1) pieces.add({0, chunk, last_chunk - first_chunk - 1});
    pieces.add({0, last % chunk + 1, 1});
    return pieces;
  }

  std::uint64_t requests(std::uint64_t run_bytes) const { return ceil_div(run_bytes, access_.max_request_bytes); }

  RunProfile join(const RunProfile& a, const RunProfile& b, Meeting meeting) const {
    RunProfile both{a.bytes + b.bytes, a.closed_requests + b.closed_requests, a.head, b.tail, false, a.at_chunk_start,
                    b.at_chunk_end};
    if (!meeting.joined) {  // a run that is not an end of the whole has met all its neighbours
      both.closed_requests += (a.single ? 0 : requests(a.tail)) + (b.single ? 0 : requests(b.head));
      return both;
    }
    const std::uint64_t middle = a.tail + meeting.gap + b.head;
    both.bytes += meeting.gap;
    both.single = a.single && b.single;
    if (a.single) both.head = middle;
    if (b.single) both.tail = middle;
    if (!a.single && !b.single) both.closed_requests += requests(middle);
    return both;
  }

  // `times` copies of one piece in a row, each meeting the next in the same way: join() of all of them at once.
  RunProfile repeat(const RunProfile& piece, std::uint64_t times, Meeting meeting) const {
    if (times == 1) return piece;
    RunProfile all = piece;
    all.bytes = times * piece.bytes + (meeting.joined ? (times - 1) * meeting.gap : 0);
    all.single = piece.single && meeting.joined;
    if (all.single) {
      all.head = all.tail = all.bytes;
    } else if (piece.single) {  // each copy is a run of its own; the first and the last stay open
      all.closed_requests = (times - 2) * requests(piece.head);
    } else {
      const std::uint64_t between = meeting.joined ? requests(piece.tail + meeting.gap + piece.head)
                                                   : requests(piece.tail) + requests(piece.head);
      all.closed_requests = times * piece.closed_requests + (times - 1) * between;
    }
    return all;
  }

  // The ranges that the local box takes of one chunk, built from one element outwards.
  RunProfile inside_chunk() const {
    const std::uint64_t bridge = access_.bridge_bytes();
    std::uint64_t span = grid_.element_bytes();
    RunProfile profile{span, 0, span, span, true, true, true};
    for (std::size_t axis = stride_.size(); axis-- > 0;) {
      const std::uint64_t gap = stride_[axis] - span;
      profile.at_chunk_start = profile.at_chunk_start && local_start_[axis] == 0;
      profile.at_chunk_end = profile.at_chunk_end && local_start_[axis] + local_count_[axis] == grid_.chunk()[axis];
      profile = repeat(profile, local_count_[axis], {gap <= bridge, gap});
      span += (local_count_[axis] - 1) * stride_[axis];
    }
    return profile;
  }

  // All touched chunks that share the pieces chosen so far along the axes before `axis`.
  RunProfile across_chunks(std::size_t axis) {
    if (axis == pieces_.size()) return inside_chunk();
    // Along this axis, one row of chunks follows the other without a chunk between only where rows are taken whole.
    const auto meet = [&](const RunProfile& a, const RunProfile& b) {
      return Meeting{wraps_[axis] && a.at_chunk_end && b.at_chunk_start, 0};
    };
    RunProfile all{};
    for (std::size_t kind = 0; kind < pieces_[axis].size; ++kind) {
      const Piece& piece = pieces_[axis].kinds[kind];
      local_start_[axis] = piece.start;
      local_count_[axis] = piece.count;
      RunProfile row = across_chunks(axis + 1);
      row = repeat(row, piece.repeat, meet(row, row));
      all = kind == 0 ? row : join(all, row, meet(all, row));
    }
    return all;
  }

  const ChunkGrid& grid_;
  const AccessCost& access_;
  std::vector<AxisPieces> pieces_;
  std::vector<bool> wraps_;  // the box takes every chunk along all axes after this one
  Shape stride_;             // bytes from one index to the next inside a chunk
  Shape local_start_;        // the local box across_chunks() has chosen
  Shape local_count_;
};

void check_inside(const ChunkGrid& grid, const Box& box) {
  const Shape& shape = grid.shape();
  const auto bad = [&](std::string_view what, std::string_view remedy) {
    return Error(ErrorKind::usage, "box of " + to_string(shape), what, remedy);
  };
  if (box.start.size() != shape.size() || box.count.size() != shape.size()) {
    throw bad(fmt::format("has {} axes", box.start.size()), fmt::format("give {}", shape.size()));
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (box.start[axis] > shape[axis] || box.count[axis] > shape[axis] - box.start[axis]) {
      throw bad(fmt::format("asks for {} from {} along axis {}", box.count[axis], box.start[axis], axis),
                fmt::format("there are {}", shape[axis]));
    }
  }
}

ReadCost whole_chunks(const ChunkGrid& grid, const Box& box, const AccessCost& access, const Coding& coding) {
  ReadCost cost;
  cost.chunks = 1;
  for (std::size_t axis = 0; axis < box.count.size(); ++axis) {
    const std::uint64_t extent = grid.chunk()[axis];
    cost.chunks *= (box.start[axis] + box.count[axis] - 1) / extent - box.start[axis] / extent + 1;
  }
  const double stored = static_cast<double>(grid.chunk_bytes()) * coding.stored_share;
  const auto each = static_cast<std::uint64_t>(std::ceil(stored));
  const auto chunks = static_cast<double>(cost.chunks);
  cost.requests = cost.chunks * std::max<std::uint64_t>(1, ceil_div(each, access.max_request_bytes));
  cost.bytes = static_cast<std::uint64_t>(std::llround(chunks * stored));
  cost.hdf5_bytes = cost.bytes;
  cost.decode_seconds = chunks * static_cast<double>(grid.chunk_bytes()) / coding.decode_bandwidth;
  return cost;
}

}  // namespace

double ReadCost::amplification() const {
  return asked_bytes == 0 ? 1.0 : static_cast<double>(bytes) / static_cast<double>(asked_bytes);
}

ReadCost predict(const ChunkGrid& grid, const Box& box, const AccessCost& access, const std::optional<Coding>& coding) {
  check_inside(grid, box);
  if (std::ranges::find(box.count, 0U) != box.count.end()) return {};
  ReadCost cost = coding ? whole_chunks(grid, box, access, *coding) : Predictor(grid, box, access).cost();
  cost.asked_bytes = element_count(box.count) * grid.element_bytes();
  return cost;
}

}  // namespace weft::layout
