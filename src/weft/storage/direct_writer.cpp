#include "weft/storage/direct_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr std::size_t kBuffers = 8;
constexpr std::size_t kBufferBytes = 512UL << 10;
constexpr std::size_t kLongestInPlace = 2UL << 20;

}  // namespace

// The open file, the buffers, and the writes from them that are under way. Where the system grants no AIO
// (fs.aio-max-nr, or a container that forbids it) each write is waited for.
class DirectWriter::Queue {
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

 public:
  Queue(std::byte* memory, int descriptor, std::shared_ptr<SyscallCounters> counters)
      : memory_(memory), descriptor_(descriptor), counters_(std::move(counters)) {
    if (::syscall(SYS_io_setup, kBuffers, &context_) != 0) context_ = 0;
    for (std::size_t i = 0; i < kBuffers; ++i) free_.push_back(i);
  }
  ~Queue() {
    if (context_ != 0) ::syscall(SYS_io_destroy, context_);  // waits for them
    ++counters_->closes;
    ::close(descriptor_);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // An empty buffer; waits for one.
  std::size_t take() {
    while (free_.empty()) collect();
    const std::size_t buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void put_back(std::size_t buffer) { free_.push_back(buffer); }
  std::byte* data(std::size_t buffer) const { return memory_.get() + buffer * kBufferBytes; }
  Bytes filled(std::size_t buffer, std::size_t bytes) const { return {data(buffer), bytes}; }

  // Writes from a buffer, or from other memory in its stead.
  void start(std::size_t buffer, Bytes from, std::uint64_t offset) {
    from_[buffer] = from;
    offsets_[buffer] = offset;
    if (context_ != 0) {
      iocb& request = requests_[buffer];
      request = {};
      request.aio_data = buffer;
      request.aio_lio_opcode = IOCB_CMD_PWRITE;
      request.aio_fildes = static_cast<std::uint32_t>(descriptor_);
      request.aio_buf = reinterpret_cast<std::uint64_t>(from.data());
      request.aio_nbytes = from.size();
      request.aio_offset = static_cast<std::int64_t>(offset);
      iocb* one = &request;
      if (::syscall(SYS_io_submit, context_, 1L, &one) == 1) {
        ++counters_->writes;
        ++under_way_;
        return;
      }
    }
    // Refused (EAGAIN, say), or there is no queue.
    write_rest(buffer, 0);
    free_.push_back(buffer);
  }

  // Waits for one that is under way, and takes all that are done. What failed is kept for throw_failure().
  void collect() {
    std::array<io_event, kBuffers> events{};
    const long done = ::syscall(SYS_io_getevents, context_, 1L, static_cast<long>(kBuffers), events.data(), nullptr);
    if (done < 0 && errno != EINTR) throw system_error("io_getevents", "waiting for writes failed", errno);
    for (long i = 0; i < done; ++i) {
      const io_event& event = events[static_cast<std::size_t>(i)];
      const auto buffer = static_cast<std::size_t>(event.data);
      --under_way_;
      free_.push_back(buffer);
      if (event.res < 0) {
        fail(static_cast<int>(-event.res), offsets_[buffer]);
      } else {
        counters_->bytes_written += static_cast<std::uint64_t>(event.res);
        counters_->write_sizes.add(static_cast<std::uint64_t>(event.res));
        if (static_cast<std::uint64_t>(event.res) < from_[buffer].size()) {
          write_rest(buffer, static_cast<std::size_t>(event.res));
        }
      }
    }
  }

  std::size_t under_way() const { return under_way_; }
  void throw_failure(const std::string& path) {
    if (error_ == 0) return;
    throw system_error(path, fmt::format("writing at byte {} failed", failed_at_), std::exchange(error_, 0));
  }

 private:
  void write_rest(std::size_t buffer, std::size_t done) {
    while (done < from_[buffer].size()) {
      const Bytes rest = from_[buffer].subspan(done);
      const ssize_t moved =
          ::pwrite(descriptor_, rest.data(), rest.size(), static_cast<off_t>(offsets_[buffer] + done));
      ++counters_->writes;
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) return fail(moved < 0 ? errno : ENOSPC, offsets_[buffer] + done);
      counters_->bytes_written += static_cast<std::uint64_t>(moved);
      counters_->write_sizes.add(static_cast<std::uint64_t>(moved));
      done += static_cast<std::size_t>(moved);
    }
  }
  void fail(int error, std::uint64_t offset) {
    if (error_ != 0) return;
    error_ = error;
    failed_at_ = offset;
  }

  std::unique_ptr<std::byte, Free> memory_;
  int descriptor_;
  std::shared_ptr<SyscallCounters> counters_;
  aio_context_t context_ = 0;
  std::vector<std::size_t> free_;
  std::size_t under_way_ = 0;
  std::array<iocb, kBuffers> requests_{};
  std::array<Bytes, kBuffers> from_{};
  std::array<std::uint64_t, kBuffers> offsets_{};
  int error_ = 0;  // the first, until it is thrown
  std::uint64_t failed_at_ = 0;
};

std::unique_ptr<DirectWriter> DirectWriter::open(const std::string& path, std::shared_ptr<SyscallCounters> counters) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(page_bytes(), kBuffers * kBufferBytes));
  if (memory == nullptr) return nullptr;
  ++counters->opens;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor < 0) {
    std::free(memory);
    return nullptr;
  }
  auto queue = std::make_unique<Queue>(memory, descriptor, std::move(counters));
  return std::unique_ptr<DirectWriter>(new DirectWriter(path, std::move(queue)));
}

DirectWriter::DirectWriter(std::string path, std::unique_ptr<Queue> queue)
    : path_(std::move(path)), queue_(std::move(queue)) {}

DirectWriter::~DirectWriter() = default;

void DirectWriter::write_at(std::uint64_t offset, std::span<const Bytes> pieces) {
  const std::uint64_t page = page_bytes();
  std::size_t buffer = queue_->take();
  std::size_t filled = 0;
  const auto start = [&](Bytes from) {
    queue_->start(buffer, from, offset);
    offset += from.size();
    filled = 0;
    buffer = queue_->take();
  };
  for (Bytes piece : pieces) {
    while (!piece.empty()) {
      if (filled == kBufferBytes) start(queue_->filled(buffer, filled));
      const bool lies_right = reinterpret_cast<std::uintptr_t>(piece.data()) % page == 0 && filled % page == 0;
      if (lies_right && piece.size() >= page) {
        if (filled > 0) start(queue_->filled(buffer, filled));
        const std::size_t part = std::min(piece.size() / page * page, kLongestInPlace);
        start(piece.first(part));
        piece = piece.subspan(part);
        continue;
      }
      const std::size_t part = std::min(piece.size(), kBufferBytes - filled);
      std::memcpy(queue_->data(buffer) + filled, piece.data(), part);
      filled += part;
      piece = piece.subspan(part);
    }
  }
  if (filled > 0) start(queue_->filled(buffer, filled));
  queue_->put_back(buffer);
  queue_->throw_failure(path_);
}

void DirectWriter::finish() {
  while (queue_->under_way() > 0) queue_->collect();
  queue_->throw_failure(path_);
}

std::uint64_t comfortable_cache_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<std::uint64_t>(pages) * page_bytes() / 10 : 0;
}

}  // namespace weft::storage
