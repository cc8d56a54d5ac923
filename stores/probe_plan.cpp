#include "stores/probe_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "weft/storage/flusher.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::stores {

namespace {

// From 2 MiB on a local file system may take memory of another kind for its cache: a size on either side of it.
constexpr std::array<std::uint64_t, 7> kSizes{512,        4ULL << 10, 32ULL << 10, 256ULL << 10,
                                              1ULL << 20, 2ULL << 20, 4ULL << 20};
// Of writes, too: records of a program are seldom whole pages.
constexpr std::array<std::uint64_t, 3> kOddSizes{4'104, 47'008, 1'000'008};
constexpr std::uint64_t kUsualPart = 32ULL << 20;
constexpr std::uint64_t kLeastPart = 4ULL << 20;  // of a request of the largest size
constexpr std::array<std::uint64_t, 7> kDirectSizes{512,        4ULL << 10, 64ULL << 10, storage::kWorthDirectAfar,
                                                    1ULL << 20, 2ULL << 20, kLeastPart};
constexpr int kFiles = 4;  // read and written, of its own and shared
// New bytes take new memory in a page cache, or fill what a server keeps in its own: more than a few MiB of them.
constexpr std::uint64_t kUsualWritten = 192ULL << 20;

// 1, 2, 4, ... and all of them.
std::vector<int> rank_counts(int ranks) {
  std::vector<int> counts;
  for (int count = 1; count < ranks; count *= 2) counts.push_back(count);
  counts.push_back(ranks);
  return counts;
}

}  // namespace

ProbePlan plan_probe(const std::string& folder, const ProbeOptions& options, int ranks, std::uint64_t free_bytes,
                     bool writes_directly) {
  if (ranks < 1) throw Error(ErrorKind::usage, "weft probe", "0 ranks", "run it on 1 rank or more");
  if (!(options.seconds > 0)) throw Error(ErrorKind::usage, "--seconds", "is no time", "give some seconds");
  ProbePlan plan;
  // A probe leaves half of what is free to others.
  const auto all = static_cast<std::uint64_t>(ranks) * kFiles;
  plan.part_bytes = std::min(kUsualPart, free_bytes / 2 / all / kLeastPart * kLeastPart);
  if (plan.part_bytes < kLeastPart) {
    throw Error(
        ErrorKind::usage, folder,
        fmt::format("{} are free, and a probe needs {}", format_bytes(free_bytes), format_bytes(2 * all * kLeastPart)),
        "make room, or use fewer ranks");
  }
  const auto of_all = static_cast<std::uint64_t>(ranks);
  const std::uint64_t left = free_bytes / 2 - all * plan.part_bytes;
  plan.written_bytes =
      plan.part_bytes + std::min(kUsualWritten - kUsualPart, left / 2 / of_all / kLeastPart * kLeastPart);
  plan.needed_bytes = 2 * of_all * (plan.part_bytes + plan.written_bytes);
  for (const int count : rank_counts(ranks)) {
    for (const Access access : {Access::write, Access::read}) {
      for (const std::uint64_t bytes : kSizes) {
        plan.requests.push_back({access, Sharing::own_files, bytes, count});
        if (count == 1) continue;
        plan.requests.push_back({access, Sharing::apart, bytes, count});
        plan.requests.push_back({access, Sharing::in_turn, bytes, count});
      }
    }
    for (const std::uint64_t bytes : kOddSizes) {
      plan.requests.push_back({Access::write, Sharing::own_files, bytes, count});
      if (count > 1) plan.requests.push_back({Access::write, Sharing::apart, bytes, count});
      if (count > 1) plan.requests.push_back({Access::write, Sharing::in_turn, bytes, count});
    }
    for (const std::uint64_t bytes : kDirectSizes) {
      if (writes_directly) plan.requests.push_back({Access::write, Sharing::directly, bytes, count});
    }
    for (const char* call : {"create", "stat", "open", "make", "reserve", "sync", "remove"})
      plan.calls.push_back({call, count});
  }
  for (const int threads : {4, 16}) {
    for (const Access access : {Access::write, Access::read}) {
      for (const std::uint64_t bytes : {kSizes[1], kSizes[3]}) {
        plan.requests.push_back({access, Sharing::own_files, bytes, 1, threads});
        if (ranks > 1) plan.requests.push_back({access, Sharing::own_files, bytes, ranks, threads});
      }
    }
  }
  for (const std::uint64_t bytes : kSizes) {
    plan.requests.push_back({Access::read, Sharing::own_files, bytes, 1, 1, true});
    if (ranks > 1) plan.requests.push_back({Access::read, Sharing::own_files, bytes, ranks, 1, true});
  }
  const auto cells = static_cast<double>(plan.requests.size() + plan.calls.size());
  plan.cell_seconds = options.seconds / cells / plan.passes;
  return plan;
}

}  // namespace weft::stores
