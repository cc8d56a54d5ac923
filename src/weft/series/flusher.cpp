#include "weft/series/flusher.hpp"

#include <utility>

#include "weft/storage/commit_slots.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::series {

namespace {

constexpr std::uint64_t kWorthAsking = 1ULL << 20;  // small chunks are written in few pieces anyway

}  // namespace

Flusher::Flusher(storage::ByteStore& store, const storage::SeriesMap& map, int rank, bool sync, WriteCounters& counters)
    : store_(store), map_(map), rank_(static_cast<std::uint64_t>(rank)), sync_(sync), counters_(counters) {
  thread_ = std::thread([this] { run(); });
}

Flusher::~Flusher() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Flusher::submit(FlushJob job) {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_) return;
    job_ = std::move(job);
  }
  changed_.notify_all();
}

std::optional<Error> Flusher::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !job_; });
  return failure_;
}

void Flusher::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return job_ || ending_; });
    if (!job_) return;
    lock.unlock();
    std::optional<Error> failure;
    const Stopwatch clock;
    try {
      write(*job_);
    } catch (const Error& error) {
      failure = error;
    } catch (const std::exception& error) {
      failure = Error(ErrorKind::system, store_.name(), error.what());
    }
    counters_.flush_nanoseconds += static_cast<std::uint64_t>(clock.seconds() * 1e9);
    lock.lock();
    if (failure) failure_ = failure;
    job_.reset();
    changed_.notify_all();
  }
}

void Flusher::write(const FlushJob& job) {
  for (const storage::FileRange& range : job.room) {
    if (range.bytes < kWorthAsking) continue;
    try {
      store_.reserve(range.offset, range.bytes);
    } catch (const Error&) {
      break;  // the disk may still hold this window, if not all of its chunks' steps: writing will tell
    }
  }
  for (const storage::WriteRequest& request : job.requests) {
    ++counters_.app_writes;
    counters_.app_bytes += request.bytes;
    store_.write_at(request.offset, request.pieces);
  }
  if (!job.raise_slot) return;
  if (sync_) store_.sync();  // data before the slot that vouches for them
  ++counters_.app_slot_writes;
  storage::raise_slot(store_, map_, rank_, job.committed);
  if (sync_) store_.sync();
}

}  // namespace weft::series
