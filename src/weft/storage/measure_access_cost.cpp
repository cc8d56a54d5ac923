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
constexpr std::uint64_t kLeastLongBytes = 64 << 10;

// No store is quicker or slower than these; a clock that stood still must not become an infinite bandwidth.
constexpr double kLeastLatency = 100e-9;
constexpr double kLeastBandwidth = 1e6;
constexpr double kMostBandwidth = 50e9;

double seconds_to_read(ByteStore& bytes, std::uint64_t offset, MutableBytes destination) {
  const auto start = std::chrono::steady_clock::now();
  bytes.read_at(offset, destination);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

layout::AccessCost measure(ByteStore& bytes) {
  layout::AccessCost access;
  const std::uint64_t size = bytes.size();
  if (size < kSmallBytes) return access;

  std::array<std::byte, kSmallBytes> small{};
  std::array<double, 5> small_seconds{};
  for (std::size_t i = 0; i < small_seconds.size(); ++i) {
    // 10 %, 30 %, ... of the file; the long reads below begin elsewhere, so none finds the bytes of another.
    const std::uint64_t offset = (size - kSmallBytes) / 10 * (2 * i + 1);
    small_seconds[i] = seconds_to_read(bytes, offset, small);
  }
  std::ranges::nth_element(small_seconds, small_seconds.begin() + 2);
  access.latency_s = std::max(small_seconds[2], kLeastLatency);

  const std::uint64_t length = std::min(kLongBytes, size / 4);
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

layout::AccessCost measure_once(ByteStore& bytes) {
  static std::mutex mutex;
  static std::map<dev_t, layout::AccessCost> known;
  struct stat status {};
  if (::stat(bytes.name().c_str(), &status) != 0) return measure(bytes);
  {
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(status.st_dev); found != known.end()) return found->second;
  }
  const layout::AccessCost access = measure(bytes);  // without the lock: a slow file system must not hold up another
  const std::scoped_lock lock(mutex);
  return known.emplace(status.st_dev, access).first->second;
}

}  // namespace weft::storage
