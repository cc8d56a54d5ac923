// weft/storage/store_cost.hpp - what reads cost on a store: measured once, and put right by what reads took.
//
// A measurement says what the bytes it read cost. Where they were in the system's page cache, a distant store answers
// in a microsecond, and the bytes that a later read wants may be a thousand times further away: in another file, or
// after the cache was needed for something else. So every read that is carried out is compared with what was expected
// of it.
#pragma once

#include <memory>
#include <mutex>

#include "weft/layout/access_cost.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/read_executor.hpp"

namespace weft::storage {

// For several threads at once.
class StoreCost {
 public:
  explicit StoreCost(const layout::AccessCost& measured);

  layout::AccessCost now() const;

  // A read that was planned for the cost `planned` has come to this. One whose requests waited for their bytes, and
  // took many times longer than planned, raises the latency to what a request took, at once: a plan for a latency that
  // is too low can cost a hundred times too much, one for too high a latency a few times. It is never raised beyond
  // layout::AccessCost's, and the bandwidth is that one's then, unless less was measured: what memory gave says nothing
  // about the store. After several reads in a row that hardly waited, what they want is in memory, and costs what that
  // costs.
  void saw(const layout::AccessCost& planned, const ReadOutcome& outcome);

 private:
  const double measured_bandwidth_;
  const layout::AccessCost in_memory_;
  mutable std::mutex mutex_;
  layout::AccessCost now_;
  int without_waits_in_a_row_ = 0;
};

// The cost of the file system (told apart by the device number of the path) on which the file of `bytes` lies: measured
// (measure_access_cost) the first time in this process, and learned by all readers of its files.
std::shared_ptr<StoreCost> cost_of_file_system(ByteStore& bytes);

}  // namespace weft::storage
