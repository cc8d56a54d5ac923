// weft/support/read_count.hpp - the system's own count of what this process has read.
#pragma once

#include <cstdint>

namespace weft {

struct ReadCount {
  std::uint64_t requests = 0;  // read calls of all threads, from wherever
  std::uint64_t bytes = 0;
  bool known = false;  // not every system counts

  // Asking is a read too, of so many bytes, and is in the counts that come after.
  std::uint64_t asking_bytes = 0;
};

// The count so far (Linux: /proc/self/io).
ReadCount count_reads();

// What was read between two counts, without the asking.
ReadCount reads_between(const ReadCount& before, const ReadCount& after);

}  // namespace weft
