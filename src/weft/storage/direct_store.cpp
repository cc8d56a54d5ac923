#include "weft/storage/direct_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr std::size_t kBufferBytes = 4UL << 20;
constexpr long kExt4Magic = 0xEF53;  // statfs(2), f_type
constexpr long kXfsMagic = 0x58465342;

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

class DirectStore final : public ByteStore {
 public:
  DirectStore(std::string path, int descriptor, std::byte* buffer, std::shared_ptr<SyscallCounters> counters)
      : path_(std::move(path)), descriptor_(descriptor), buffer_(buffer), counters_(std::move(counters)) {}
  ~DirectStore() override { close(); }

  const std::string& name() const override { return path_; }
  std::uint64_t size() override { throw wrong_use(); }
  void read_at(std::uint64_t, std::span<const MutableBytes>) override { throw wrong_use(); }
  void reserve(std::uint64_t, std::uint64_t) override { throw wrong_use(); }
  void sync() override { throw wrong_use(); }

  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override {
    std::size_t filled = 0;
    for (Bytes piece : pieces) {
      while (!piece.empty()) {
        const std::size_t part = std::min(piece.size(), kBufferBytes - filled);
        std::memcpy(buffer_.get() + filled, piece.data(), part);
        filled += part;
        piece = piece.subspan(part);
        if (filled < kBufferBytes) continue;
        write_buffer(offset, filled);
        offset += filled;
        filled = 0;
      }
    }
    if (filled > 0) write_buffer(offset, filled);
  }

  void close() override {
    if (descriptor_ < 0) return;
    ++counters_->closes;
    ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  Error wrong_use() const { return {ErrorKind::usage, path_, "is open for direct writes alone"}; }

  void write_buffer(std::uint64_t offset, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t moved =
          ::pwrite(descriptor_, buffer_.get() + done, bytes - done, static_cast<off_t>(offset + done));
      ++counters_->writes;
      if (moved < 0 && errno == EINTR) continue;
      if (moved < 0) throw system_error(path_, fmt::format("writing at byte {} failed", offset + done), errno);
      if (moved == 0) throw system_error(path_, fmt::format("writing at byte {} failed", offset + done), ENOSPC);
      counters_->bytes_written += static_cast<std::uint64_t>(moved);
      done += static_cast<std::size_t>(moved);
    }
  }

  std::string path_;
  int descriptor_;
  std::unique_ptr<std::byte, Free> buffer_;
  std::shared_ptr<SyscallCounters> counters_;
};

}  // namespace

std::unique_ptr<ByteStore> open_direct(const std::string& path, std::shared_ptr<SyscallCounters> counters) {
  auto* buffer = static_cast<std::byte*>(std::aligned_alloc(kPageBytes, kBufferBytes));
  if (buffer == nullptr) return nullptr;
  ++counters->opens;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor < 0) {
    std::free(buffer);
    return nullptr;
  }
  return std::make_unique<DirectStore>(path, descriptor, buffer, std::move(counters));
}

bool direct_writes_pay(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return false;
  return status.f_type == kExt4Magic || status.f_type == kXfsMagic;
}

std::uint64_t comfortable_cache_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 10 : 0;
}

}  // namespace weft::storage
