// weft/storage/byte_store.hpp - the one door to the bytes of a file.
//
// A store is a file seen as bytes: positioned reads and writes, no cursor, no buffer. Reads and writes take a list of
// memory pieces that lie one after another in the file, so one request can fill or drain scattered memory without a
// copy. Stores may be called from several threads at once (close excepted). None of the calls is collective.
//
// Versions: files (storage/posix_store.hpp), and wrappers that count, delay or fail (storage/wrapped_stores.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#pragma GCC visibility push(default)

namespace weft::storage {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

class ByteStore {
 public:
  virtual ~ByteStore() = default;
  ByteStore() = default;
  ByteStore(const ByteStore&) = delete;
  ByteStore& operator=(const ByteStore&) = delete;

  virtual const std::string& name() const = 0;  // for error lines: the path
  virtual std::uint64_t size() = 0;

  // Fills the pieces from `offset` on. Throws Error(data) where the file ends before, Error(system) where reading
  // fails.
  virtual void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) = 0;
  // Writes all pieces from `offset` on, or throws Error(system).
  virtual void write_at(std::uint64_t offset, std::span<const Bytes> pieces) = 0;
  // Asks for room for these bytes, so that a full disk is met here, and so that the file system need not find a place
  // for every piece that is then written into a hole (ext4, 280 KB pieces: 8 s of its time for 3.9 GB without, 2.7 s
  // with). Throws Error(system) where there is no room; does nothing where the file system cannot promise any.
  virtual void reserve(std::uint64_t offset, std::uint64_t bytes) = 0;
  // Asks the disk to begin with what is written there and still in the page cache, as a sync() will want it. Does not
  // wait for it, and promises nothing: what fails is told by sync(). Pages that these bytes do not fill are left, as
  // others write into them. Does nothing where the cache is not one of this machine.
  virtual void start_writeback(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}
  // Returns when everything written is on the disk.
  virtual void sync() = 0;
  // Idempotent; throws where the file system reports a late failure.
  virtual void close() = 0;

  void read_at(std::uint64_t offset, MutableBytes piece) { read_at(offset, std::span(&piece, 1)); }
  void write_at(std::uint64_t offset, Bytes piece) { write_at(offset, std::span(&piece, 1)); }
};

// How many writes there were of each size.
class WriteSizes {
 public:
  void add(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    ++times_[bytes];
  }
  std::map<std::uint64_t, std::uint64_t> times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> times_;
};

// What reached the operating system, as strace counts it. Atomic: a flush thread and its application share it.
struct SyscallCounters {
  std::atomic<std::uint64_t> opens{0};
  std::atomic<std::uint64_t> closes{0};
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> seeks{0};
  std::atomic<std::uint64_t> syncs{0};
  std::atomic<std::uint64_t> writebacks{0};  // that were started
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  WriteSizes write_sizes;
};

enum class OpenMode {
  read,
  write,          // an existing file, for reading and writing
  write_through,  // the same, and every write is on the disk when it returns: sync() would bring all of the file there
  direct,         // as `write`, past the system's page cache, at any offset: NFS alone takes that (shared_file.hpp)
  metadata,       // as `write`, in the calls that HDF5 makes: a trace of the system calls tells data from the rest
  create,         // a new file; an existing one is removed first (truncating it would cost a flush on ext4)
};

// Opens the store of a path. The only place that chooses a kind of store (open_store.cpp): there is one, a file of the
// operating system.
// If `counters` is given, every system call is counted there. `name` is for error lines, where it is not the path (a
// new file that is still under another name). Throws Error(system) if it cannot be opened.
std::unique_ptr<ByteStore> open_store(const std::string& path, OpenMode mode,
                                      std::shared_ptr<SyscallCounters> counters = nullptr,
                                      const std::string& name = {});

}  // namespace weft::storage

#pragma GCC visibility pop
