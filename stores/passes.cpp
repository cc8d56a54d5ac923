#include "stores/passes.hpp"

#include <algorithm>

namespace weft::stores {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// A pass of a few requests is as good as their luck: a store whose writes take 50 ms or 100 at random is none that
// takes either. Those of all passes add up, as they do in a run. A pass of many is a mean itself, and the median of
// such passes leaves out the one that something else disturbed.
RequestCell of_passes(RequestCell cell, std::span<const Pass> passes) {
  constexpr std::uint64_t kFewRequests = 16;  // of a rank, in a pass
  double elapsed = 0;
  std::vector<double> request;
  std::vector<double> late;
  std::vector<double> speed;
  for (const Pass& pass : passes) {
    cell.requests += pass.requests;
    request.push_back(pass.request_s);
    late.push_back(pass.late_s);
    speed.push_back(pass.bytes_per_s);
    elapsed += pass.elapsed_s;
  }
  cell.request_s = median(request);
  cell.late_s = median(late);
  const bool few = cell.requests < kFewRequests * static_cast<std::uint64_t>(cell.ranks) * passes.size();
  cell.bytes_per_s = few ? static_cast<double>(cell.requests * cell.bytes) / elapsed : median(speed);
  cell.least_bytes_per_s = *std::ranges::min_element(speed);
  cell.most_bytes_per_s = *std::ranges::max_element(speed);
  return cell;
}

}  // namespace weft::stores
