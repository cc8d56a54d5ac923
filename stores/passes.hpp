// stores/passes.hpp - what a probe keeps of a cell that it has measured several times. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stores/store_profile.hpp"

namespace weft::stores {

// The upper one of the two in the middle of an even number; 0 of none.
double median(std::vector<double> values);

struct Pass {
  std::uint64_t requests = 0;  // of all ranks
  double request_s = 0;        // of the median request, of the ranks that take part
  double late_s = 0;           // 95 % are quicker
  double elapsed_s = 0;        // of the slowest rank
  double bytes_per_s = 0;      // of all ranks together
};

// The cell with the figures of its passes; there is at least one.
RequestCell of_passes(RequestCell cell, std::span<const Pass> passes);

}  // namespace weft::stores
