#include "predict/workload.hpp"

#include <algorithm>

namespace weft::predict {

using stores::Sharing;

void RankSteps::spend(const std::string& phase, double seconds) {
  if (seconds > 0) steps_.push_back({.act = Act::spend, .phase = phase, .seconds = seconds});
}

void RankSteps::call(const std::string& phase, const std::string& name, double times) {
  if (times > 0) steps_.push_back({.act = Act::call, .phase = phase, .call = name, .times = times});
}

void RankSteps::call_behind(const std::string& name, double times) {
  if (times > 0) steps_.push_back({.act = Act::call, .phase = "flush", .call = name, .times = times, .by = By::thread});
}

void RankSteps::write(const std::string& phase, Sharing sharing, std::uint64_t bytes, double times) {
  if (times <= 0 || bytes == 0) return;
  steps_.push_back({.act = Act::write, .phase = phase, .bytes = bytes, .times = times, .sharing = sharing});
}

void RankSteps::go_on(const std::string& phase, Sharing sharing, std::uint64_t bytes, double times) {
  constexpr std::uint64_t kMade = 4096;
  if (times <= 0 || bytes == 0) return;
  write(phase, sharing, bytes, times);
  steps_.back().made_bytes = std::min(bytes, kMade);
}

void RankSteps::read(const std::string& phase, Sharing sharing, std::uint64_t bytes, double times) {
  if (times <= 0 || bytes == 0) return;
  steps_.push_back({.act = Act::read, .phase = phase, .bytes = bytes, .times = times, .sharing = sharing});
}

void RankSteps::read_memory(const std::string& phase, std::uint64_t bytes, double times) {
  if (times <= 0 || bytes == 0) return;
  steps_.push_back({.act = Act::read, .phase = phase, .bytes = bytes, .times = times, .in_memory = true});
}

void RankSteps::write_behind(Sharing sharing, std::uint64_t bytes, double times) {
  if (times <= 0 || bytes == 0) return;
  steps_.push_back(
      {.act = Act::write, .phase = "flush", .bytes = bytes, .times = times, .sharing = sharing, .by = By::thread});
}

void RankSteps::wait(const std::string& phase, double left) {
  steps_.push_back({.act = Act::wait, .phase = phase, .times = left, .by = By::thread});
}

void RankSteps::start_writeback(std::uint64_t bytes) {
  if (bytes > 0) steps_.push_back({.act = Act::sync, .phase = "flush", .bytes = bytes, .by = By::disk});
}

void RankSteps::wait_for_writeback(const std::string& phase) {
  steps_.push_back({.act = Act::wait, .phase = phase, .times = 0, .by = By::disk});
}

// A page cache keeps short requests that are no whole pages in short pieces, which take longer to bring to a disk.
void RankSteps::sync(const std::string& phase, std::uint64_t bytes, std::uint64_t request_bytes) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kLong = 256ULL << 10;
  const bool in_records = request_bytes % kPage != 0 && request_bytes < kLong;
  if (bytes > 0) steps_.push_back({.act = Act::sync, .phase = phase, .bytes = bytes, .in_records = in_records});
}

void RankSteps::travel(const std::string& phase, std::uint64_t bytes) {
  if (bytes > 0) steps_.push_back({.act = Act::travel, .phase = phase, .bytes = bytes});
}

void RankSteps::meet(const std::string& phase) { steps_.push_back({.act = Act::meet, .phase = phase}); }

std::vector<RankGroup> repeated(const std::vector<RankGroup>& groups, std::uint64_t times) {
  std::vector<RankGroup> all = groups;
  for (RankGroup& group : all) {
    const std::vector<Step> once = group.steps;
    for (std::uint64_t more = 1; more < times; ++more) group.steps.insert(group.steps.end(), once.begin(), once.end());
  }
  return all;
}

Requests requests_of(const Workload& work) {
  Requests sum;
  for (const RankGroup& group : work.groups) {
    for (const Step& step : group.steps) {
      if (step.act != Act::write) continue;
      const double writes = step.times * static_cast<double>(group.ranks);
      sum.writes += writes;
      sum.bytes += writes * static_cast<double>(step.bytes);
    }
  }
  return sum;
}

}  // namespace weft::predict
