// weft/storage/read_executor.hpp - carries out a read plan.
//
// Every request of the plan is one read_at of the store, so what a counting store or strace sees is what the plan says.
// Requests run side by side where that pays: on a distant store their latencies overlap, on a near one two cores copy
// faster than one. A read that takes less than starting a thread is done by the caller alone.
//
// The destination belongs to the caller. Bytes go straight into it, and gaps into a scratch piece; only a request of
// many small rows goes through a buffer of the request's length, one at a time for each thread. Not collective; may be
// called from several threads at once.
#pragma once

#include <cstdint>

#include "weft/layout/access_cost.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/read_plan.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

inline constexpr int kDefaultReadThreads = 8;

// Threads worth using for `plan` on a store that costs what `cost` says, at most `most_threads`; the caller is one.
int worthwhile_threads(const ReadPlan& plan, const layout::AccessCost& cost, int most_threads);

// What a read took. A wait is a time when one of its threads gave its core away of itself: it waited for bytes. A core
// that was taken away by another program is no wait.
struct ReadOutcome {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  int threads = 1;
  std::uint64_t waits = 0;
  double seconds = 0;
};

// Fills `destination` (plan.wanted_bytes long), or throws what the store threw first; the destination's content is then
// undefined. Throws Error(usage) where the destination has another length.
ReadOutcome execute_read(const ReadPlan& plan, ByteStore& bytes, const layout::AccessCost& cost,
                         MutableBytes destination, int most_threads = kDefaultReadThreads);

}  // namespace weft::storage

#pragma GCC visibility pop
