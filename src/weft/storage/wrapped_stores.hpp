// weft/storage/wrapped_stores.hpp - stores around a store: one counts, one is slow, one breaks.
//
// They make visible what a warm local disk hides (requests cost nothing there) and what never happens in a test (the
// disk is full at the 37th write). Each owns the store it wraps.
#pragma once

#include <functional>
#include <memory>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {

// What was asked of a store: requests and bytes, the `app` level of Weft's counters. Syncs are apart from writes.
struct RequestCounters {
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> syncs{0};
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
};

std::unique_ptr<ByteStore> counting_store(std::unique_ptr<ByteStore> inner, std::shared_ptr<RequestCounters> counters);

// Each request takes `latency_s` and a byte 1/`bandwidth` seconds longer (bandwidth in bytes per second, 0: unlimited).
// Requests of several threads wait side by side, as on a parallel file system.
std::unique_ptr<ByteStore> delaying_store(std::unique_ptr<ByteStore> inner, double latency_s, double bandwidth);

// Asks `fails` before each write with its number, from 0, and its length; where it answers an errno other than 0, the
// write (and every later one) is refused with it, nothing written.
std::unique_ptr<ByteStore> failing_store(std::unique_ptr<ByteStore> inner,
                                         std::function<int(std::uint64_t write, std::uint64_t bytes)> fails);

}  // namespace weft::storage
