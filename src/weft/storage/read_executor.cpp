#include "weft/storage/read_executor.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::storage {

namespace {

// Starting a thread and seeing it end costs some 50 us. A request that takes longer than this waits for another machine
// or a disk, not for a core: then every request in flight saves one wait, and more threads than cores pay.
constexpr double kDistantLatency = 100e-6;
// On a near store a thread saves at best its share of the copying, and this must be several times what starting it
// costs.
constexpr double kSecondsWorthAThread = 200e-6;
// A request is scattered straight to the destination while its rows and gaps are on average at least this long: the
// system spends about 50 ns on each piece of memory, in which 500 bytes can be copied.
constexpr std::uint64_t kLeastScatteredBytes = 1024;

template <std::size_t Bytes>
void copy_rows(const ReadPiece& piece, const std::byte* from, std::byte* to) {
  for (std::uint64_t row = 0; row < piece.rows; ++row) {
    std::memcpy(to + row * piece.destination_stride, from + row * piece.file_stride, Bytes);
  }
}

// Copies a piece out of a buffer; `from` is its first byte there. Rows of one or two numbers are by far the most usual,
// and a copy of known length is several times faster than a call of memcpy.
void copy_piece(const ReadPiece& piece, const std::byte* from, std::byte* destination) {
  std::byte* to = destination + piece.destination;
  switch (piece.row_bytes) {
    case 1: return copy_rows<1>(piece, from, to);
    case 4: return copy_rows<4>(piece, from, to);
    case 8: return copy_rows<8>(piece, from, to);
    case 16: return copy_rows<16>(piece, from, to);
    case 24: return copy_rows<24>(piece, from, to);
    default:
      for (std::uint64_t row = 0; row < piece.rows; ++row) {
        std::memcpy(to + row * piece.destination_stride, from + row * piece.file_stride, piece.row_bytes);
      }
  }
}

// How often this thread has given its core away of itself.
std::uint64_t waits_of_thread() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw);
}

// What one thread needs to carry out requests; memory grows as needed and is kept from request to request.
class Worker {
 public:
  Worker(const ReadPlan& plan, ByteStore& bytes, MutableBytes destination)
      : plan_(plan), bytes_(bytes), destination_(destination) {}

  void carry_out(const ReadRequest& request) {
    const std::span<const ReadPiece> pieces = plan_.pieces_of(request);
    if (pieces.size() == 1 && pieces[0].rows == 1 && pieces[0].row_bytes == request.length) {
      bytes_.read_at(request.file_offset, destination_.subspan(pieces[0].destination, request.length));
      return;
    }
    std::uint64_t rows = 0;
    for (const ReadPiece& piece : pieces) rows += piece.rows;
    const std::uint64_t most_memory_pieces = 2 * rows + 1;  // a gap before each row and one behind the last
    if (most_memory_pieces <= IOV_MAX && request.length / most_memory_pieces >= kLeastScatteredBytes) {
      scatter(request, pieces);
    } else {
      read_and_copy(request, pieces);
    }
  }

 private:
  void scatter(const ReadRequest& request, std::span<const ReadPiece> pieces) {
    memory_.clear();
    longest_gap_ = 0;
    std::uint64_t at = request.file_offset;
    for (const ReadPiece& piece : pieces) {
      for (std::uint64_t row = 0; row < piece.rows; ++row) {
        const std::uint64_t begin = piece.file_offset + row * piece.file_stride;
        add_gap(begin - at);
        memory_.push_back(destination_.subspan(piece.destination + row * piece.destination_stride, piece.row_bytes));
        at = begin + piece.row_bytes;
      }
    }
    add_gap(request.file_offset + request.length - at);
    // All gaps land in the same scratch memory, which so stays in the core's cache.
    std::byte* const scratch = buffer(longest_gap_);
    for (MutableBytes& piece : memory_) {
      if (piece.data() == nullptr) piece = {scratch, piece.size()};
    }
    bytes_.read_at(request.file_offset, std::span<const MutableBytes>(memory_));
  }

  // A piece with no memory yet.
  void add_gap(std::uint64_t length) {
    if (length == 0) return;
    memory_.emplace_back(static_cast<std::byte*>(nullptr), length);
    longest_gap_ = std::max(longest_gap_, length);
  }

  void read_and_copy(const ReadRequest& request, std::span<const ReadPiece> pieces) {
    std::byte* const read = buffer(request.length);
    bytes_.read_at(request.file_offset, MutableBytes(read, request.length));
    for (const ReadPiece& piece : pieces) {
      copy_piece(piece, read + (piece.file_offset - request.file_offset), destination_.data());
    }
  }

  std::byte* buffer(std::uint64_t length) {
    if (length > buffer_bytes_) {
      buffer_ = std::make_unique_for_overwrite<std::byte[]>(length);
      buffer_bytes_ = length;
    }
    return buffer_.get();
  }

  const ReadPlan& plan_;
  ByteStore& bytes_;
  MutableBytes destination_;
  std::vector<MutableBytes> memory_;
  std::uint64_t longest_gap_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::uint64_t buffer_bytes_ = 0;
};

// The requests of a plan, dealt one by one to the threads that ask; the first failure stops the dealing.
class SharedRequests {
 public:
  SharedRequests(const ReadPlan& plan, ByteStore& bytes, MutableBytes destination)
      : plan_(plan), bytes_(bytes), destination_(destination) {}

  void work() noexcept {
    try {
      const std::uint64_t waits = waits_of_thread();
      Worker worker(plan_, bytes_, destination_);
      for (std::size_t next = next_++; next < plan_.requests.size(); next = next_++) {
        worker.carry_out(plan_.requests[next]);
      }
      waits_ += waits_of_thread() - waits;
    } catch (...) {
      next_ = plan_.requests.size();
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  // Call these when all threads have ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  std::uint64_t waits() const { return waits_; }

 private:
  const ReadPlan& plan_;
  ByteStore& bytes_;
  MutableBytes destination_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint64_t> waits_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

int worthwhile_threads(const ReadPlan& plan, const layout::AccessCost& cost, int most_threads) {
  const std::size_t most = std::min(static_cast<std::size_t>(std::max(1, most_threads)), plan.requests.size());
  if (most <= 1) return 1;
  if (cost.latency_s >= kDistantLatency) return static_cast<int>(most);
  const double worth = cost.seconds(plan.requests.size(), plan.bytes()) / kSecondsWorthAThread;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::max(1, static_cast<int>(std::min(worth, static_cast<double>(std::min(most, cores)))));
}

ReadOutcome execute_read(const ReadPlan& plan, ByteStore& bytes, const layout::AccessCost& cost,
                         MutableBytes destination, int most_threads) {
  if (destination.size() != plan.wanted_bytes) {
    throw Error(ErrorKind::usage, bytes.name(),
                fmt::format("a read of {} bytes was given memory for {}", plan.wanted_bytes, destination.size()),
                "pass exactly the memory the values need");
  }
  const Stopwatch stopwatch;
  const int threads = worthwhile_threads(plan, cost, most_threads);
  if (threads == 1) {
    const std::uint64_t waits = waits_of_thread();
    Worker worker(plan, bytes, destination);
    for (const ReadRequest& request : plan.requests) worker.carry_out(request);
    return {plan.requests.size(), plan.bytes(), threads, waits_of_thread() - waits, stopwatch.seconds()};
  }
  SharedRequests requests(plan, bytes, destination);
  {
    std::vector<std::jthread> helpers;
    try {
      for (int helper = 1; helper < threads; ++helper) helpers.emplace_back([&] { requests.work(); });
    } catch (const std::system_error&) {
      // The system grants no more threads: those there are do the work.
    }
    requests.work();
  }
  requests.rethrow();
  return {plan.requests.size(), plan.bytes(), threads, requests.waits(), stopwatch.seconds()};
}

}  // namespace weft::storage
