// weft/storage/writer_lock.hpp - a file has one writer: whoever changes it holds FILE.weft-lock.
//
// Two things keep others out, as neither does everywhere. The system's lock on that file (fcntl, an open file
// description's own) is exact where it works: it ends with its holder, however that ends. And the file says who holds
// it (host, boot, process, start), so that a holder that is dead is known for dead where the system's locks reach this
// machine alone or not at all. What a killed writer leaves is taken over when its holder is proven dead, and otherwise
// only when that is asked for. docs/format.md, "One writer".
//
// Byte 0 is the writer's, exclusively. Byte 1 is shared by all ranks of the writer, so that a new writer waits until
// the last rank of a dead one is gone.
//
// The file is beside the one that links lead to. Readers take no lock. Not collective.
#pragma once

#include <optional>
#include <string>

#include "weft/support/process_identity.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// What a lock file says of its holder.
struct LockHolder {
  ProcessIdentity process;
  std::string work;   // "weft run ecg"
  std::string since;  // 2026-11-23T14:02:11Z
  // "weft run ecg (process 4711 on node12, since 2026-11-23T14:02:11Z)"
  std::string describe() const;
};

std::string to_text(const LockHolder& holder);
std::optional<LockHolder> lock_holder_from(const std::string& text);  // nothing where the text is not whole

// For whoever is about to change something: what it is, and whether to take the file from a writer of which nobody
// knows whether it lives.
struct LockWish {
  std::string work;
  bool take_over = false;
};

class WriterLock {
 public:
  // Error(usage) where another writer has the file: alive, or not known to be dead. Error(system) where no lock file
  // can be made beside it.
  static WriterLock take(const std::string& path, const LockWish& wish);
  // For the other ranks of the group whose rank 0 has taken it. Held until it is destroyed; gives no error where the
  // file system has no locks.
  static WriterLock join(const std::string& path);

  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();  // gives it back, and removes the lock file where this is its holder

  // Whether a dead holder's lock was found and taken over.
  bool taken_over() const { return taken_over_; }

 private:
  WriterLock(std::string lock_path, int descriptor, bool holder)
      : path_(std::move(lock_path)), descriptor_(descriptor), holder_(holder) {}
  bool clear_predecessor(const std::string& path, bool system_lock, const LockWish& wish) const;
  void write_holder(const LockWish& wish) const;

  std::string path_;  // of the lock file
  int descriptor_ = -1;
  bool holder_ = false;
  bool taken_over_ = false;
};

// The lock file of `path`, behind all links.
std::string lock_file(const std::string& path);
// Whether some writer is known to live: it holds the system's lock, or runs on this machine. False where nobody can
// tell.
bool has_living_writer(const std::string& path);
// Throws Error(usage) where one does: for whoever takes no lock, but cannot do with a file that changes under it.
void check_no_living_writer(const std::string& path);
// Who holds the lock of `path`, or was the last to do so and is dead.
std::optional<LockHolder> lock_holder(const std::string& path);

}  // namespace weft::storage

#pragma GCC visibility pop
