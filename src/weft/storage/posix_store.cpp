#include "weft/storage/posix_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "weft/storage/durable_name.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/page_memory.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::storage {

namespace {

// How many pieces one call may carry (Linux: UIO_MAXIOV). Longer lists become several calls.
constexpr std::size_t kMostPieces = IOV_MAX;

// What one call writes through the page cache of a file system of this machine. A longer one takes nothing off the
// disk's work, and has the kernel look for pages in blocks of 2 MiB and more: on a virtual machine these are what the
// host has taken back, and come at 2 s a GB (docs/figures.md).
constexpr std::uint64_t kCachedWrite = 512ULL << 10;

iovec to_iovec(MutableBytes piece) { return {piece.data(), piece.size()}; }
iovec to_iovec(Bytes piece) { return {const_cast<std::byte*>(piece.data()), piece.size()}; }  // pwritev only reads it

class PosixStore final : public ByteStore {
 public:
  PosixStore(std::string path, int descriptor, std::shared_ptr<SyscallCounters> counters, bool plainly, bool cached)
      : path_(std::move(path)),
        descriptor_(descriptor),
        counters_(std::move(counters)),
        plainly_(plainly),
        cached_(cached) {}

  ~PosixStore() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  const std::string& name() const override { return path_; }

  std::uint64_t size() override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw system_error(path_, "cannot ask for the file's size", errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

  void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) override {
    transfer(offset, pieces, kAny, [&](const iovec* list, int count, off_t at) {
      const ssize_t moved = ::preadv(descriptor_, list, count, at);
      ++counters_->reads;
      if (moved > 0) counters_->bytes_read += static_cast<std::uint64_t>(moved);
      if (moved < 0 && errno != EINTR) throw system_error(path_, fmt::format("reading at byte {} failed", at), errno);
      if (moved == 0) {
        throw Error(ErrorKind::data, path_, fmt::format("ends at byte {}, where data should follow", at),
                    "the file is truncated: copy it again or write it again");
      }
      return moved;
    });
  }

  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override {
    transfer(offset, pieces, cached_ ? kCachedWrite : kAny, [&](const iovec* list, int count, off_t at) {
      const ssize_t moved =
          plainly_ ? ::pwrite(descriptor_, list->iov_base, list->iov_len, at) : ::pwritev(descriptor_, list, count, at);
      ++counters_->writes;
      if (moved > 0) {
        counters_->bytes_written += static_cast<std::uint64_t>(moved);
        counters_->write_sizes.add(static_cast<std::uint64_t>(moved));
      }
      if (moved < 0 && errno != EINTR) throw system_error(path_, fmt::format("writing at byte {} failed", at), errno);
      if (moved == 0) throw system_error(path_, fmt::format("writing at byte {} failed", at), ENOSPC);
      return moved;
    });
  }

  void reserve(std::uint64_t offset, std::uint64_t bytes) override {
    int refused = 0;
    do {
      refused =
          ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0
              ? 0
              : errno;
    } while (refused == EINTR);
    if (refused == ENOSPC || refused == EDQUOT || refused == EFBIG) {
      throw system_error(path_, fmt::format("no room for {} bytes", bytes), refused);
    }
  }

  void start_writeback(std::uint64_t offset, std::uint64_t bytes) override {
    if (!cached_) return;
    const std::uint64_t first = ceil_div(offset, page_bytes()) * page_bytes();
    const std::uint64_t end = (offset + bytes) / page_bytes() * page_bytes();
    if (first >= end) return;
    ++counters_->writebacks;
    // A hint: the sync tells what becomes of these bytes.
    static_cast<void>(::sync_file_range(descriptor_, static_cast<off_t>(first), static_cast<off_t>(end - first),
                                        SYNC_FILE_RANGE_WRITE));
  }

  void sync() override {
    ++counters_->syncs;
    if (::fdatasync(descriptor_) != 0) throw system_error(path_, "cannot flush the data to the disk", errno);
  }

  void close() override {
    if (descriptor_ < 0) return;
    ++counters_->closes;
    if (::close(std::exchange(descriptor_, -1)) != 0) throw system_error(path_, "closing failed", errno);
  }

 private:
  static constexpr std::uint64_t kAny = ~0ULL;

  // Hands batches of pieces of at most `longest` bytes to `call`, and carries on behind what it moved: a call may move
  // less than asked.
  template <typename Piece, typename Call>
  void transfer(std::uint64_t offset, std::span<const Piece> pieces, std::uint64_t longest, const Call& call) {
    std::array<iovec, kMostPieces> list;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled just below
    std::size_t next = 0;                 // the first piece not wholly moved
    std::size_t done = 0;                 // how much of it has moved
    while (next < pieces.size()) {
      std::size_t count = 0;
      std::uint64_t bytes = 0;
      for (; count < kMostPieces && next + count < pieces.size() && bytes < longest; ++count) {
        list[count] = to_iovec(count == 0 ? pieces[next].subspan(done) : pieces[next + count]);
        list[count].iov_len = std::min<std::uint64_t>(list[count].iov_len, longest - bytes);
        bytes += list[count].iov_len;
      }
      if (count == 1 && list[0].iov_len == 0) {
        ++next;
        done = 0;
        continue;
      }
      const ssize_t result = call(list.data(), static_cast<int>(count), static_cast<off_t>(offset));
      if (result < 0) continue;  // interrupted by a signal: ask again
      auto moved = static_cast<std::size_t>(result);
      offset += moved;
      while (next < pieces.size() && moved >= pieces[next].size() - done) {
        moved -= pieces[next].size() - done;
        done = 0;
        ++next;
      }
      done += moved;
    }
  }

  std::string path_;
  int descriptor_;
  std::shared_ptr<SyscallCounters> counters_;
  bool plainly_;  // writes by pwrite and not by pwritev
  bool cached_;   // writes go through the page cache of this machine, and no other machine has the file
};

}  // namespace

std::unique_ptr<ByteStore> open_posix_store(const std::string& path, OpenMode mode,
                                            std::shared_ptr<SyscallCounters> counters, const std::string& name) {
  int flags = O_CLOEXEC;
  switch (mode) {
    case OpenMode::read: flags |= O_RDONLY; break;
    case OpenMode::write:
    case OpenMode::metadata: flags |= O_RDWR; break;
    case OpenMode::write_through: flags |= O_RDWR | O_DSYNC; break;
    case OpenMode::direct: flags |= O_RDWR | O_DIRECT; break;
    case OpenMode::create:
      ::unlink(path.c_str());
      flags |= O_RDWR | O_CREAT | O_TRUNC;
      break;
  }
  ++counters->opens;
  int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor < 0 && errno == ENOENT && mode != OpenMode::create) {
    ask_for_names(path);
    descriptor = ::open(path.c_str(), flags, 0666);
  }
  if (descriptor < 0) throw system_error(path, "cannot open", errno);
  struct statfs system {};
  const bool cached = mode != OpenMode::direct && mode != OpenMode::read && ::fstatfs(descriptor, &system) == 0 &&
                      is_of_one_machine(system.f_type);
  return std::make_unique<PosixStore>(name, descriptor, std::move(counters), mode == OpenMode::metadata, cached);
}

}  // namespace weft::storage
