#include "weft/storage/measure_access_cost.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

namespace weft::storage {

namespace {

constexpr std::uint64_t kSmallBytes = 8;
constexpr std::uint64_t kLongBytes = 1 << 20;
constexpr std::uint64_t kLongInMemory = 256 << 10;  // takes many times a call there, too; a longer one holds up opening
constexpr std::uint64_t kLeastLongBytes = 64 << 10;

// No store is quicker or slower than these; a clock that stood still must not become an infinite bandwidth.
constexpr double kLeastLatency = 100e-9;
constexpr double kLeastBandwidth = 1e6;
constexpr double kMostBandwidth = 50e9;

// Where a read takes less than this it comes from memory, and its first calls take several times what the later ones
// do: the system's code is not in the core's cache yet. A plan has many, so several rows of many are timed, and the
// quickest counts: what makes a row slower is another program on the core.
constexpr double kNearLatency = 20e-6;
constexpr std::uint64_t kRowsOfReads = 4;
constexpr std::uint64_t kReadsInRow = 32;

double seconds_to_read(ByteStore& bytes, std::uint64_t offset, MutableBytes destination) {
  const auto start = std::chrono::steady_clock::now();
  bytes.read_at(offset, destination);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The middle of the i-th fifth of the file. The long reads begin elsewhere, so none finds the bytes of another.
std::uint64_t place_of(std::uint64_t i, std::uint64_t size) { return (size - kSmallBytes) / 10 * (2 * (i % 5) + 1); }

// Seconds of one of many small reads in a row. They are of bytes that were just read: others may be far away.
double seconds_of_many(ByteStore& bytes, std::uint64_t size) {
  std::array<std::byte, kSmallBytes> small{};
  double least = kNearLatency;
  for (std::uint64_t row = 0; row < kRowsOfReads; ++row) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < kReadsInRow; ++i) bytes.read_at(place_of(i, size), small);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / static_cast<double>(kReadsInRow));
  }
  return least;
}

}  // namespace

layout::AccessCost measure(ByteStore& bytes) {
  layout::AccessCost access;
  const std::uint64_t size = bytes.size();
  if (size < kSmallBytes) return access;

  std::array<std::byte, kSmallBytes> small{};
  std::array<double, 5> small_seconds{};
  for (std::size_t i = 0; i < small_seconds.size(); ++i) {
    small_seconds[i] = seconds_to_read(bytes, place_of(i, size), small);
  }
  std::ranges::nth_element(small_seconds, small_seconds.begin() + 2);
  access.latency_s = std::max(small_seconds[2], kLeastLatency);
  if (access.latency_s < kNearLatency) {
    access.latency_s = std::clamp(seconds_of_many(bytes, size), kLeastLatency, access.latency_s);
  }

  const std::uint64_t length = std::min(access.latency_s < kNearLatency ? kLongInMemory : kLongBytes, size / 4);
  if (length < kLeastLongBytes) return access;
  // Zeroed, so that the system hands out the memory now and not while the clock runs.
  const auto memory = std::make_unique<std::byte[]>(length);
  double quicker = seconds_to_read(bytes, size / 5, {memory.get(), length});
  quicker = std::min(quicker, seconds_to_read(bytes, size / 5 * 3, {memory.get(), length}));
  const double beyond_latency = quicker - access.latency_s;
  access.bandwidth = beyond_latency <= 0 ? kMostBandwidth : static_cast<double>(length) / beyond_latency;
  access.bandwidth = std::clamp(access.bandwidth, kLeastBandwidth, kMostBandwidth);
  return access;
}

}  // namespace weft::storage
