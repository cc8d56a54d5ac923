// weft/storage/flusher.hpp - the thread that writes windows while the simulation computes.
//
// One window at a time: submit() hands it over, wait() returns when it is in the file and its slot is raised. The
// thread makes no MPI and no HDF5 call, so neither has to be thread-safe. The memory of a window must stay untouched
// until wait() returned.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/direct_writer.hpp"
#include "weft/storage/filtered_chunks.hpp"
#include "weft/storage/flush_counters.hpp"
#include "weft/storage/group_commit.hpp"
#include "weft/storage/page_split.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/write_plan.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

// Shorter requests do not go past the cache where each edge of theirs waits for a server.
inline constexpr std::uint64_t kWorthDirectAfar = 512ULL << 10;

// Where windows go; the references outlive the flusher.
struct FlushTarget {
  ByteStore& store;
  const SeriesCatalog& catalog;
  FlushCounters& counters;
  GroupCommit& commit;  // raises the slot
  int ranks;
  std::uint64_t epoch;       // of this writer: nothing is written once the file has another (storage/writer_state.hpp)
  std::string lies_at;       // where the file lies while it has not its name
  bool syncs_windows;        // a window is on the disk before it counts
  bool starts_writeback;     // what goes through the page cache is to be on the disk soon, by whichever rank's sync
  bool wants_direct;         // past the page cache from the first byte on; Error(usage) where that cannot be
  bool may_go_directly;      // where that is known to be quicker: DirectGain (storage/file_system.hpp)
  std::uint64_t room_bytes;  // what the series has room for, before filters
  unsigned threads;          // that filter chunks

  // For a further store of the same file; it must not outlive `counters`.
  std::shared_ptr<SyscallCounters> shared_syscall_counters() const {
    return {&counters.syscall, [](auto*) {}};
  }
};

struct FlushJob {
  bool waits_for_place = false;  // nothing is written before place(), so not beside what the ranks do to agree
  std::vector<FileRange> room;   // asked of the file system first
  std::vector<WriteRequest> requests;
  std::uint64_t committed = 0;  // the steps of which this rank's part is in the file afterwards
  bool raise_slot = true;       // false on a rank that owns no chunk
  // To be filtered last: they are written by the next job, as the ranks must first agree where.
  std::vector<ChunkSteps> chunks{};
};

class Flusher {
 public:
  // `first` is done by the thread before its first window. Throws Error(usage) where direct writes are wanted and the
  // file system has none.
  Flusher(FlushTarget target, std::function<void()> first);
  ~Flusher();  // waits for the window under way
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // Nothing may be under way. Where the job waits for place(), that or give_up() follows; its chunks are filtered
  // meanwhile.
  void submit(FlushJob job);
  // Where the chunks go that the job before has filtered.
  void place(std::uint64_t at);
  // They get no place, so the job is not written.
  void give_up();
  // Blocks until nothing is under way; the error of a window that failed is returned from then on. After a failure no
  // further window is written, so the slot stays where it was.
  std::optional<Error> wait();
  // Whether wait() would return at once.
  bool is_idle();
  // The same without blocking: of a window that failed so far.
  std::optional<Error> failure();
  // The bytes of the chunks that wait for a place. Nothing may be under way.
  std::uint64_t waiting_bytes() const { return filtered_.bytes(); }

  // While it lives, one thread that filters leaves its core to the caller, who works and does not wait.
  class Pause {
   public:
    explicit Pause(Flusher& flusher) : filtered_(flusher.filtered_) { filtered_.pause(); }
    ~Pause() { filtered_.resume(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    FilteredChunks& filtered_;
  };

 private:
  void run();
  void write(const FlushJob& job);
  void write_and_raise(const FlushJob& job);
  void write_aside();
  void filter(const FlushJob& job);
  void raise(std::uint64_t committed);
  void ask_for_room(const std::vector<FileRange>& room);
  void write_data(const std::vector<WriteRequest>& requests);
  void write_cached(const std::vector<WriteRequest>& requests);
  bool goes_directly(std::uint64_t bytes, std::uint64_t longest);

  FlushTarget target_;
  std::unique_ptr<DirectWriter> direct_;  // whole pages go through it once there is one
  PageSplitter pages_;
  FilteredChunks filtered_;
  std::uint64_t cacheable_bytes_ = 0;  // what this rank still leaves to the page cache
  std::uint64_t worth_direct_ = 0;     // requests of less are left to it in any case
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<FlushJob> job_;         // present from submit() until it is done
  std::optional<std::uint64_t> place_;  // of what the job before has filtered
  bool given_up_ = false;
  bool ending_ = false;
  std::optional<Error> failure_;
  std::thread thread_;
};

}  // namespace weft::storage
