// kernels/io/call_latency.hpp - how long single calls took: a histogram.
//
// A sum hides what a file system does to a program: 1,000 writes of 1 ms and one of 1 s among 999 that take nothing are
// the same second. Bins double, from 1 us to 67 s, so a histogram is exact within a factor of two and is a few dozen
// numbers however many calls there were. Pure data.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace weft::kernels {

class CallLatency {
 public:
  static constexpr std::size_t kBins = 28;  // the last one has no upper bound

  // A call took so long.
  void add(double seconds) {
    const auto microseconds = static_cast<std::uint64_t>(seconds * 1e6);
    ++counts_[std::min<std::size_t>(std::bit_width(microseconds), kBins - 1)];
    most_ = std::max(most_, seconds);
  }
  std::uint64_t calls() const;
  // The upper bound of the bin that `share` of all calls do not pass; never more than the longest call.
  double percentile(double share) const;
  double most() const { return most_; }

  CallLatency& operator+=(const CallLatency& other);
  bool operator==(const CallLatency&) const = default;

  const std::array<std::uint64_t, kBins>& counts() const { return counts_; }
  static CallLatency of(const std::array<std::uint64_t, kBins>& counts, double most);

  // The upper bound of a bin in seconds: 1e-6, 2e-6, 4e-6, ...
  static double bound(std::size_t bin) { return static_cast<double>(1ULL << bin) * 1e-6; }

 private:
  std::array<std::uint64_t, kBins> counts_{};
  double most_ = 0;
};

// calls, bounds_seconds[..], counts[..], p50_seconds, p99_seconds, max_seconds. counts[i] calls took less than
// bounds_seconds[i], and no less than the bound before; the last of the counts, which has no bound, are those beyond.
// Empty bins at either end are left out.
nlohmann::ordered_json to_json(const CallLatency& latency);

// What a rank's calls were. Of a series, `write` is put() and `end_step` what hands a full window over; of stdio,
// `write` is the write() below the stream.
struct CallLatencies {
  CallLatency open;
  CallLatency read;  // of a read-back
  CallLatency write;
  CallLatency end_step;
  CallLatency close;

  CallLatencies& operator+=(const CallLatencies& other);
};

// {"open": .., "read": .., "write": .., "end_step": .., "close": ..}: those that were called.
nlohmann::ordered_json to_json(const CallLatencies& latencies);

}  // namespace weft::kernels
