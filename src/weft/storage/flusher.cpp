#include "weft/storage/flusher.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>

#include "weft/storage/direct_writer.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kWorthAsking = 1ULL << 20;      // less is the end of a field, or tiles that lie apart
constexpr std::uint64_t kWorthDirect = 64ULL << 10;     // below, a request's own cost is what counts
constexpr std::uint64_t kWorthWriteback = 64ULL << 10;  // shorter ones are joined by the kernel until the sync
constexpr int kNicer = 10;                              // a tenth of a core that the computation wants as well

bool filters(const SeriesCatalog& catalog) {
  return std::ranges::any_of(catalog.fields, [](const FieldEntry& field) { return !field.filter.empty(); });
}

// This thread, and those that it starts, give way to the computation: filtering takes whole cores. Not to be allowed
// that costs time alone.
void give_way() {
  const auto self = static_cast<id_t>(::gettid());  // Linux: a thread has a priority of its own
  ::setpriority(PRIO_PROCESS, self, ::getpriority(PRIO_PROCESS, self) + kNicer);
}

}  // namespace

Flusher::Flusher(FlushTarget target, std::function<void()> first)
    : target_(std::move(target)), pages_(page_bytes()), filtered_(target_.store, target_.catalog, target_.threads) {
  // Ranks of other nodes are counted in: then each node's share of the cache is only smaller.
  const std::uint64_t cache = comfortable_cache_bytes();
  if (target_.room_bytes <= cache) cacheable_bytes_ = cache / static_cast<std::uint64_t>(target_.ranks);
  if (target_.wants_direct) {
    direct_ = DirectWriter::open(target_.lies_at, target_.shared_syscall_counters());
    if (!direct_) {
      throw Error(ErrorKind::usage, target_.catalog.path, "the file system has no direct writes",
                  "leave --direct to auto");
    }
  }
  const DirectGain gain = file_system_of(target_.lies_at).direct_gain();
  worth_direct_ = gain == DirectGain::large_requests && !target_.wants_direct ? kWorthDirectAfar : kWorthDirect;
  if (gain == DirectGain::large_requests) cacheable_bytes_ = 0;
  if (gain == DirectGain::none || !target_.may_go_directly) cacheable_bytes_ = ~0ULL;
  thread_ = std::thread([this, first = std::move(first)] {
    first();
    if (filters(target_.catalog)) give_way();
    run();
  });
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
    place_.reset();
    given_up_ = false;
  }
  changed_.notify_all();
}

void Flusher::place(std::uint64_t at) {
  {
    const std::scoped_lock lock(mutex_);
    place_ = at;
  }
  changed_.notify_all();
}

void Flusher::give_up() {
  {
    const std::scoped_lock lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
}

std::optional<Error> Flusher::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !job_; });
  return failure_;
}

bool Flusher::is_idle() {
  const std::scoped_lock lock(mutex_);
  return !job_;
}

std::optional<Error> Flusher::failure() {
  const std::scoped_lock lock(mutex_);
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
      failure = Error(ErrorKind::system, target_.store.name(), error.what());
    }
    target_.counters.flush_nanoseconds += static_cast<std::uint64_t>(clock.seconds() * 1e9);
    lock.lock();
    if (failure) failure_ = failure;
    job_.reset();
    changed_.notify_all();
  }
}

void Flusher::write(const FlushJob& job) {
  if (job.requests.empty() && !job.raise_slot) return;
  check_epoch(target_.store, target_.catalog, target_.epoch);
  // A window is encoded while the one before is placed and written, unless it goes on with a chunk of that one.
  filtered_.set_aside();
  const bool goes_on = std::ranges::any_of(job.chunks, [](const ChunkSteps& steps) { return steps.first > 0; });
  if (job.chunks.empty() || goes_on) {
    write_and_raise(job);
    return filter(job);
  }
  std::future<void> written = std::async(std::launch::async, [&] { write_and_raise(job); });
  filter(job);
  written.get();
}

void Flusher::filter(const FlushJob& job) {
  filtered_.encode(job.chunks);
  target_.counters.unfiltered_bytes += filtered_.step_bytes();
  target_.counters.filtered_bytes += filtered_.chunk_bytes();
}

// What the job before has filtered, once it has its place.
void Flusher::write_aside() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return place_ || given_up_ || ending_; });
  if (!place_) throw Error(ErrorKind::system, target_.catalog.path, "the ranks did not agree where chunks go");
  const std::vector<WriteRequest> placed = filtered_.place(*place_);
  lock.unlock();
  for (const WriteRequest& request : placed) ask_for_room({{request.offset, request.bytes}});
  write_data(placed);
  filtered_.write_entries();
}

void Flusher::write_and_raise(const FlushJob& job) {
  if (job.waits_for_place) {
    try {
      write_aside();
    } catch (...) {
      filtered_.forget_aside();  // encode() may be waiting for it
      throw;
    }
  }
  ask_for_room(job.room);
  write_data(job.requests);
  if (job.raise_slot) raise(job.committed);
}

void Flusher::raise(std::uint64_t committed) {
  if (target_.syncs_windows) target_.store.sync();  // data before the slots that vouch for them
  if (target_.commit.done(committed, {target_.store, target_.catalog, target_.syncs_windows})) {
    ++target_.counters.app_slot_writes;
  }
}

void Flusher::ask_for_room(const std::vector<FileRange>& room) {
  for (const FileRange& range : room) {
    if (range.bytes < kWorthAsking) continue;
    try {
      target_.store.reserve(range.offset, range.bytes);
    } catch (const Error&) {
      return;  // the disk may still hold this window, if not all of its chunks' steps: writing will tell
    }
  }
}

void Flusher::write_data(const std::vector<WriteRequest>& requests) {
  std::uint64_t bytes = 0;
  std::uint64_t longest = 0;
  for (const WriteRequest& request : requests) {
    bytes += request.bytes;
    longest = std::max(longest, request.bytes);
  }
  target_.counters.app_writes += requests.size();
  target_.counters.app_bytes += bytes;
  if (!goes_directly(bytes, longest)) return write_cached(requests);
  const PageSplit& split = pages_.split(requests, worth_direct_);
  try {
    for (const WriteRequest& request : split.whole) direct_->write_at(request.offset, request.pieces);
    direct_->finish();
  } catch (const Error&) {
    if (target_.wants_direct) throw;
    // A file system may take the opening and refuse the writing. If the disk is full, the next lines say so.
    direct_.reset();
    cacheable_bytes_ = ~0ULL;
    write_cached(split.whole);
  }
  // The edges last: one writer's cached write waits for all direct ones under way.
  write_cached(split.edges);
}

// The disk works while the rest of the window is written and the next one computed, so a sync finds little left.
void Flusher::write_cached(const std::vector<WriteRequest>& requests) {
  for (const WriteRequest& request : requests) {
    target_.store.write_at(request.offset, request.pieces);
    if (!target_.starts_writeback || request.bytes < kWorthWriteback) continue;
    target_.store.start_writeback(request.offset, request.bytes);
  }
}

bool Flusher::goes_directly(std::uint64_t bytes, std::uint64_t longest) {
  if (direct_) return true;
  if (bytes <= cacheable_bytes_ || longest < worth_direct_) {
    if (cacheable_bytes_ != ~0ULL) cacheable_bytes_ -= std::min(bytes, cacheable_bytes_);
    return false;
  }
  direct_ = DirectWriter::open(target_.catalog.path, target_.shared_syscall_counters());
  if (!direct_) cacheable_bytes_ = ~0ULL;
  return direct_ != nullptr;
}

}  // namespace weft::storage
