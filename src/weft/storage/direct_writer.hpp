// weft/storage/direct_writer.hpp - writes that go to the disk past the system's page cache (O_DIRECT).
//
// Written through the page cache, data are copied into it page by page, one writer of a file at a time (ext4 and XFS
// hold the file's lock meanwhile), and once a tenth or so of the memory is dirty the writers are held back. Directly,
// the disk fetches the bytes itself: a large series costs the simulation's cores next to nothing and keeps an even
// pace. A small one is better off in the cache, which takes it at the speed of memory.
//
// Several writes are under way at a time (Linux AIO): a thread that has to wait for a core that computes would leave
// the disk without work otherwise.
//
// The price: offsets and lengths are whole pages, and what was written is not in the cache for those who read it next.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/page_memory.hpp"

namespace weft::storage {

// For one thread.
class DirectWriter {
 public:
  // nullptr where the file system does not write so. The file must exist.
  static std::unique_ptr<DirectWriter> open(const std::string& path, std::shared_ptr<SyscallCounters> counters);
  ~DirectWriter();  // waits for what is under way
  DirectWriter(const DirectWriter&) = delete;
  DirectWriter& operator=(const DirectWriter&) = delete;

  // `offset` and the pieces' sum must be multiples of page_bytes(); the pieces may lie anywhere. Those in whole pages
  // of memory for whole pages of the file must stand until finish(); others are copied to buffers of 4 MiB in all
  // before this returns. Requests that overlap must have a finish() between them. Throws Error(system), also for a
  // request before; which of them are written then is not known.
  void write_at(std::uint64_t offset, std::span<const Bytes> pieces);
  // Returns when all that was written is with the disk.
  void finish();

 private:
  class Queue;
  DirectWriter(std::string path, std::unique_ptr<Queue> queue);

  std::string path_;
  std::unique_ptr<Queue> queue_;
};

// What the writers of this machine may leave in the page cache before the kernel starts to hold them back: a tenth of
// the memory (Linux: vm.dirty_background_ratio is 10 unless somebody set it).
std::uint64_t comfortable_cache_bytes();

}  // namespace weft::storage
