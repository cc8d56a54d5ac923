#include "weft/storage/read_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

void check(const ArrayEntry& array, const Box& box) {
  check_addresses(array);
  const auto bad = [&](std::string_view what) {
    return Error(
        ErrorKind::usage, array.path,
        fmt::format("the box from ({}) of ({}) {}", fmt::join(box.start, ", "), fmt::join(box.count, ", "), what),
        fmt::format("stay inside its shape {}", to_string(array.shape)));
  };
  if (box.start.size() != array.shape.size() || box.count.size() != array.shape.size()) {
    throw bad("has another number of axes");
  }
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    if (box.start[axis] > array.shape[axis] || box.count[axis] > array.shape[axis] - box.start[axis]) {
      throw bad(fmt::format("leaves the array along axis {}", axis));
    }
  }
}

// Bytes from one index to the next along each axis of a row-major array.
Shape byte_strides(const Shape& shape, std::uint64_t element_bytes) {
  Shape strides(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = element_bytes;
    element_bytes *= shape[axis];
  }
  return strides;
}

// Collects wanted rows in file order, joins them into runs and cuts the runs into requests.
class RunJoiner {
 public:
  RunJoiner(ReadPlan& plan, const layout::AccessCost& access)
      : plan_(plan), bridge_(access.bridge_bytes()), max_request_(access.max_request_bytes) {}

  // From here on, pieces belong to another chunk: a gap before the next one is not bridged.
  void next_chunk() { same_chunk_ = false; }

  void add(ReadPiece piece) {
    if (piece.rows > 1 && piece.file_stride - piece.row_bytes > bridge_) {
      const std::uint64_t rows = std::exchange(piece.rows, 1);
      for (std::uint64_t row = 0; row < rows; ++row) {
        add_joined(piece);
        piece.file_offset += piece.file_stride;
        piece.destination += piece.destination_stride;
      }
    } else {
      add_joined(piece);
    }
  }

  void close_run() {
    if (!open_) return;
    open_ = false;
    const std::uint64_t length = run_end_ - run_begin_;
    const std::uint64_t parts = ceil_div(length, max_request_);
    if (parts == 1) {
      plan_.requests.push_back({run_begin_, length, run_pieces_, plan_.pieces.size() - run_pieces_});
    } else {
      cut_run(length, parts);
    }
  }

 private:
  void add_joined(const ReadPiece& piece) {
    const std::uint64_t gap = piece.file_offset - run_end_;
    if (!open_ || (gap != 0 && (!same_chunk_ || gap > bridge_))) {
      close_run();
      open_ = true;
      run_begin_ = piece.file_offset;
      run_pieces_ = plan_.pieces.size();
    }
    same_chunk_ = true;
    run_end_ = piece.file_end();
    plan_.pieces.push_back(piece);
  }

  // Deals the run's pieces to `parts` requests; those a cut falls into are split.
  void cut_run(std::uint64_t length, std::uint64_t parts) {
    const auto first = plan_.pieces.begin() + static_cast<std::ptrdiff_t>(run_pieces_);
    uncut_.assign(first, plan_.pieces.end());
    std::ranges::reverse(uncut_);  // the next piece is at the back
    plan_.pieces.erase(first, plan_.pieces.end());
    std::uint64_t begin = run_begin_;
    for (std::uint64_t part = 0; part < parts; ++part) {
      const std::uint64_t end = begin + length / parts + (part < length % parts ? 1 : 0);
      const std::size_t first_piece = plan_.pieces.size();
      while (!uncut_.empty() && uncut_.back().file_offset < end) {
        const ReadPiece piece = uncut_.back();
        uncut_.pop_back();
        take_before(piece, end);
      }
      plan_.requests.push_back({begin, end - begin, first_piece, plan_.pieces.size() - first_piece});
      begin = end;
    }
  }

  // What of `piece` lies before `end` goes to the plan, the rest back to the uncut ones. The piece begins before `end`.
  void take_before(ReadPiece piece, std::uint64_t end) {
    if (piece.file_end() <= end) {
      plan_.pieces.push_back(piece);
      return;
    }
    const auto skip_rows = [](ReadPiece from, std::uint64_t rows) {
      from.file_offset += rows * from.file_stride;
      from.destination += rows * from.destination_stride;
      from.rows -= rows;
      return from;
    };
    const std::uint64_t available = end - piece.file_offset;
    const std::uint64_t whole_rows =
        available < piece.row_bytes || piece.rows == 1 ? 0 : (available - piece.row_bytes) / piece.file_stride + 1;
    if (whole_rows > 0) {
      ReadPiece before = piece;
      before.rows = whole_rows;
      plan_.pieces.push_back(before);
      piece = skip_rows(piece, whole_rows);
    }
    if (piece.file_offset >= end) {  // the cut falls between rows
      uncut_.push_back(piece);
      return;
    }
    if (piece.rows > 1) uncut_.push_back(skip_rows(piece, 1));
    piece.rows = 1;
    const std::uint64_t head = end - piece.file_offset;
    ReadPiece tail = piece;
    tail.file_offset += head;
    tail.destination += head;
    tail.row_bytes -= head;
    uncut_.push_back(tail);
    piece.row_bytes = head;
    plan_.pieces.push_back(piece);
  }

  ReadPlan& plan_;
  std::uint64_t bridge_;
  std::uint64_t max_request_;
  bool open_ = false;
  bool same_chunk_ = false;
  std::uint64_t run_begin_ = 0;
  std::uint64_t run_end_ = 0;
  std::size_t run_pieces_ = 0;  // the run's first piece
  std::vector<ReadPiece> uncut_;
};

// The part of a box in each touched chunk, as pieces.
class BoxInChunks {
 public:
  // `shape` is that of a dataset of at least one axis, the box lies inside and is not empty.
  BoxInChunks(const Shape& chunk, const Shape& shape, const Box& box, std::uint64_t element_bytes,
              std::uint64_t destination)
      : chunk_(chunk),
        box_(box),
        element_bytes_(element_bytes),
        destination_(destination),
        file_strides_(byte_strides(chunk, element_bytes)),
        destination_strides_(byte_strides(box.count, element_bytes)),
        count_(shape.size()),
        row_(shape.size()) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      counts_.push_back(ceil_div(shape[axis], chunk[axis]));
      first_.push_back(box.start[axis] / chunk[axis]);
      last_.push_back((box.start[axis] + box.count[axis] - 1) / chunk[axis]);
    }
  }

  // The touched chunks in file order.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> addresses_and_numbers(const ChunkAddresses& addresses) const {
    std::uint64_t touched = 1;
    for (std::size_t axis = 0; axis < first_.size(); ++axis) touched *= last_[axis] - first_[axis] + 1;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks;
    chunks.reserve(touched);
    Shape at = first_;
    for (bool more = true; more; more = advance(at, first_, last_, at.size())) {
      std::uint64_t number = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) number = number * counts_[axis] + at[axis];
      chunks.emplace_back(addresses.at(number), number);
    }
    if (!std::ranges::is_sorted(chunks)) std::ranges::sort(chunks);
    return chunks;
  }

  void add_chunk(std::uint64_t address, std::uint64_t number, RunJoiner& joiner) {
    ReadPiece piece{address, destination_, element_bytes_, 1, 0, 0};
    for (std::size_t axis = counts_.size(); axis-- > 0;) {
      const std::uint64_t chunk_start = number % counts_[axis] * chunk_[axis];
      number /= counts_[axis];
      const std::uint64_t start = std::max(box_.start[axis], chunk_start);
      count_[axis] = std::min(box_.start[axis] + box_.count[axis], chunk_start + chunk_[axis]) - start;
      piece.file_offset += (start - chunk_start) * file_strides_[axis];
      piece.destination += (start - box_.start[axis]) * destination_strides_[axis];
    }
    // A row goes on over an axis as long as the axis behind it is whole, in the chunk and in the destination.
    std::size_t axis = counts_.size() - 1;
    piece.row_bytes *= count_[axis];
    while (axis > 0 && count_[axis] == chunk_[axis] && count_[axis] == box_.count[axis]) {
      --axis;
      piece.row_bytes *= count_[axis];
    }
    // The nearest axis outside with more than one index repeats the row; those further out repeat the piece.
    while (axis > 0 && count_[axis - 1] == 1) --axis;
    if (axis > 0) {
      --axis;
      piece.rows = count_[axis];
      piece.file_stride = file_strides_[axis];
      piece.destination_stride = destination_strides_[axis];
    }
    joiner.next_chunk();
    std::ranges::fill(row_, 0U);
    for (bool more = true; more; more = advance_within(axis)) {
      ReadPiece moved = piece;
      for (std::size_t outer = 0; outer < axis; ++outer) {
        moved.file_offset += row_[outer] * file_strides_[outer];
        moved.destination += row_[outer] * destination_strides_[outer];
      }
      joiner.add(moved);
    }
  }

 private:
  // Counts `at` up over the first `axes` axes within [first, last]; false when it is through.
  static bool advance(Shape& at, const Shape& first, const Shape& last, std::size_t axes) {
    for (std::size_t axis = axes; axis-- > 0;) {
      if (at[axis] < last[axis]) {
        ++at[axis];
        return true;
      }
      at[axis] = first[axis];
    }
    return false;
  }

  bool advance_within(std::size_t axes) {
    for (std::size_t axis = axes; axis-- > 0;) {
      if (++row_[axis] < count_[axis]) return true;
      row_[axis] = 0;
    }
    return false;
  }

  const Shape& chunk_;
  const Box& box_;
  std::uint64_t element_bytes_;
  std::uint64_t destination_;
  Shape file_strides_;
  Shape destination_strides_;
  Shape counts_;        // chunks along each axis
  Shape first_, last_;  // the touched chunks
  Shape count_;         // of the chunk at hand: how many indices of each axis are wanted
  Shape row_;           // where the repetition over the outer axes stands
};

}  // namespace

std::uint64_t ReadPlan::bytes() const {
  std::uint64_t sum = 0;
  for (const ReadRequest& request : requests) sum += request.length;
  return sum;
}

void append_read(ReadPlan& plan, const ArrayEntry& array, const Box& box, const layout::AccessCost& access) {
  check(array, box);
  const std::uint64_t element_bytes = size_of(array.type);
  const std::uint64_t destination = plan.wanted_bytes;
  const std::uint64_t wanted = element_count(box.count) * element_bytes;
  if (wanted == 0) return;
  plan.wanted_bytes += wanted;
  RunJoiner joiner(plan, access);
  if (array.shape.empty()) {  // a scalar
    joiner.add({array.addresses.at(0), destination, element_bytes, 1, 0, 0});
  } else {
    BoxInChunks parts(array.chunk, array.shape, box, element_bytes, destination);
    for (const auto& [address, number] : parts.addresses_and_numbers(array.addresses)) {
      parts.add_chunk(address, number, joiner);
    }
  }
  joiner.close_run();
}

ReadPlan plan_read(const ArrayEntry& array, const Box& box, const layout::AccessCost& access) {
  ReadPlan plan;
  append_read(plan, array, box, access);
  return plan;
}

std::string describe(const ReadPlan& plan, std::size_t most_lines) {
  std::string text =
      fmt::format("{} requests move {} bytes for {} wanted\n", plan.requests.size(), plan.bytes(), plan.wanted_bytes);
  for (std::size_t i = 0; i < plan.requests.size() && i < most_lines; ++i) {
    const ReadRequest& request = plan.requests[i];
    std::uint64_t rows = 0;
    std::uint64_t wanted = 0;
    for (const ReadPiece& piece : plan.pieces_of(request)) {
      rows += piece.rows;
      wanted += piece.rows * piece.row_bytes;
    }
    text += fmt::format("  at {}: {} bytes, {} wanted in {} rows\n", request.file_offset, request.length, wanted, rows);
  }
  if (plan.requests.size() > most_lines) text += fmt::format("  ... {} more\n", plan.requests.size() - most_lines);
  return text;
}

}  // namespace weft::storage
