#include "weft/storage/store_cost.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "weft/storage/measure_access_cost.hpp"

namespace weft::storage {

namespace {

// A read is a surprise from so many times what was expected.
constexpr double kSurprise = 8;
constexpr int kReadsWithoutWaits = 8;
// A measurement below this was of memory; any other says nothing about memory, which costs some such.
constexpr double kNearLatency = 20e-6;
constexpr layout::AccessCost kMemory{.latency_s = 1e-6, .bandwidth = 10e9};

}  // namespace

StoreCost::StoreCost(const layout::AccessCost& measured)
    : measured_bandwidth_(measured.bandwidth),
      in_memory_(measured.latency_s < kNearLatency ? measured : kMemory),
      now_(measured) {}

layout::AccessCost StoreCost::now() const {
  const std::scoped_lock lock(mutex_);
  return now_;
}

void StoreCost::saw(const layout::AccessCost& planned, const ReadOutcome& outcome) {
  if (outcome.requests == 0) return;
  const auto requests = static_cast<double>(outcome.requests);
  const double at_work = outcome.seconds * outcome.threads;
  const double expected = planned.seconds(outcome.requests, outcome.bytes);
  const double of_bytes = static_cast<double>(outcome.bytes) / planned.bandwidth;
  const std::scoped_lock lock(mutex_);
  if (now_.latency_s != planned.latency_s) return;  // another read has taught meanwhile
  if (at_work > kSurprise * expected && 2 * outcome.waits >= outcome.requests) {
    const layout::AccessCost distant;
    const double latency = (at_work - kSurprise * of_bytes) / requests;
    now_.latency_s = std::max(now_.latency_s, std::min(latency, distant.latency_s));
    now_.bandwidth = std::min(measured_bandwidth_, distant.bandwidth);
    without_waits_in_a_row_ = 0;
  } else if (4 * outcome.waits >= outcome.requests) {
    without_waits_in_a_row_ = 0;
  } else if (++without_waits_in_a_row_ == kReadsWithoutWaits) {
    now_ = in_memory_;
    without_waits_in_a_row_ = 0;
  }
}

std::shared_ptr<StoreCost> cost_of_file_system(ByteStore& bytes) {
  static std::mutex mutex;
  static std::map<dev_t, std::shared_ptr<StoreCost>> known;
  struct stat status {};
  if (::stat(bytes.name().c_str(), &status) != 0) return std::make_shared<StoreCost>(measure(bytes));
  {
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(status.st_dev); found != known.end()) return found->second;
  }
  // Without the lock: a slow file system must not hold up another.
  const auto measured = std::make_shared<StoreCost>(measure(bytes));
  const std::scoped_lock lock(mutex);
  return known.emplace(status.st_dev, measured).first->second;
}

}  // namespace weft::storage
