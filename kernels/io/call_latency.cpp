#include "kernels/io/call_latency.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace weft::kernels {

std::uint64_t CallLatency::calls() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

double CallLatency::percentile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(calls())));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
    seen += counts_[bin];
    if (seen >= wanted) return std::min(bound(bin), most_);
  }
  return most_;
}

CallLatency& CallLatency::operator+=(const CallLatency& other) {
  for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += other.counts_[bin];
  most_ = std::max(most_, other.most_);
  return *this;
}

CallLatency CallLatency::of(const std::array<std::uint64_t, kBins>& counts, double most) {
  CallLatency latency;
  latency.counts_ = counts;
  latency.most_ = most;
  return latency;
}

nlohmann::ordered_json to_json(const CallLatency& latency) {
  const auto& counts = latency.counts();
  std::size_t first = 0;
  std::size_t last = counts.size();
  while (first < last && counts[first] == 0) ++first;
  while (last > first && counts[last - 1] == 0) --last;
  nlohmann::ordered_json bounds = nlohmann::ordered_json::array();
  nlohmann::ordered_json shown = nlohmann::ordered_json::array();
  for (std::size_t bin = first; bin < last; ++bin) {
    if (bin + 1 < CallLatency::kBins) bounds.push_back(CallLatency::bound(bin));
    shown.push_back(counts[bin]);
  }
  if (bounds.size() == shown.size()) shown.push_back(0);  // none beyond the last bound
  return {{"calls", latency.calls()},
          {"bounds_seconds", std::move(bounds)},
          {"counts", std::move(shown)},
          {"p50_seconds", latency.percentile(0.50)},
          {"p99_seconds", latency.percentile(0.99)},
          {"max_seconds", latency.most()}};
}

CallLatencies& CallLatencies::operator+=(const CallLatencies& other) {
  open += other.open;
  read += other.read;
  write += other.write;
  end_step += other.end_step;
  close += other.close;
  return *this;
}

nlohmann::ordered_json to_json(const CallLatencies& latencies) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const char* name, const CallLatency& latency) {
    if (latency.calls() > 0) json[name] = to_json(latency);
  };
  add("open", latencies.open);
  add("read", latencies.read);
  add("write", latencies.write);
  add("end_step", latencies.end_step);
  add("close", latencies.close);
  return json;
}

}  // namespace weft::kernels
