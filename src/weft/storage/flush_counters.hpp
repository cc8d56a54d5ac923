// weft/storage/flush_counters.hpp - what a writer's flushes asked of the file, on this rank.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/storage/byte_store.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// Atomic: others look at them while a flush is under way.
struct FlushCounters {
  std::atomic<std::uint64_t> app_writes{0};  // data requests, and slot writes apart from them
  std::atomic<std::uint64_t> app_bytes{0};
  std::atomic<std::uint64_t> app_slot_writes{0};
  std::atomic<std::uint64_t> unfiltered_bytes{0};   // given to filters
  std::atomic<std::uint64_t> filtered_bytes{0};     // that they made of them
  std::atomic<std::uint64_t> flush_nanoseconds{0};  // the flush thread's own time, whoever waited for it or not
  SyscallCounters syscall;
};

}  // namespace weft::storage

#pragma GCC visibility pop
