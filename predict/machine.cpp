#include "predict/machine.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "weft/storage/flusher.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

using stores::Access;
using stores::CallCell;
using stores::RequestCell;
using stores::Sharing;

namespace {

constexpr std::uint64_t kPage = 4096;

// Seconds of `bytes`, from seconds by size: on logarithmic scales between two sizes, the smallest's below all, and in
// proportion beyond.
double between(const std::map<std::uint64_t, double>& seconds, std::uint64_t bytes) {
  const auto after = seconds.lower_bound(bytes);
  if (after == seconds.begin()) return after->second;
  const auto before = std::prev(after);
  if (after == seconds.end()) {
    return before->second * static_cast<double>(bytes) / static_cast<double>(before->first);
  }
  const double part = std::log(static_cast<double>(bytes) / static_cast<double>(before->first)) /
                      std::log(static_cast<double>(after->first) / static_cast<double>(before->first));
  return std::exp(std::log(before->second) * (1 - part) + std::log(after->second) * part);
}

bool is_of(const RequestCell& cell, Access access, bool of_memory) {
  return cell.access == access && cell.threads == 1 && cell.bytes > 0 && cell.cached == of_memory;
}

// Profiles of slow stores, and those made before there were grids of two sizes, have one of the two.
std::string instead_of(const std::string& call) {
  if (call == "mpi value of many") return "mpi value in memory";
  if (call == "mpi value of many together") return "mpi value together";
  // Of the oldest, an array's own cost is in that of its values; another value adds nothing to speak of.
  if (call == "mpi array") return "mpi value in memory";
  if (call == "mpi array together") return "mpi value together";
  return call;
}

}  // namespace

Machine::Machine(const stores::StoreProfile& profile, const Cluster& cluster, Mood mood)
    : profile_(profile), cluster_(cluster), mood_(mood) {
  reads_of_memory_ = std::ranges::any_of(profile_.requests, &RequestCell::cached);
  for (const RequestCell& cell : profile_.requests) {
    if (cell.access == Access::write && cell.ranks == 1 && cell.threads == 1) return;
  }
  throw Error(ErrorKind::data, profile.name, "the profile has no writes of one rank", "make one with weft probe");
}

double Machine::speed(const RequestCell& cell) const {
  const double middle = std::max(cell.bytes_per_s, 1.0);
  if (mood_ == Mood::best) return std::max(cell.most_bytes_per_s, middle);
  if (mood_ == Mood::worst && cell.least_bytes_per_s > 0) return std::min(cell.least_bytes_per_s, middle);
  return middle;
}

// Profiles made before short requests of a series were measured have long ones alone.
bool Machine::has_direct(std::uint64_t bytes) const {
  return std::ranges::any_of(profile_.requests, [&](const RequestCell& cell) {
    const bool is_short = cell.bytes < storage::kWorthDirectAfar;
    return cell.sharing == Sharing::directly && is_short == (bytes < storage::kWorthDirectAfar);
  });
}

Cost Machine::request(Access access, Sharing sharing, std::uint64_t bytes) const {
  if (sharing == Sharing::directly && !has_direct(bytes)) return request(access, Sharing::apart, bytes);
  const bool of_memory = access == Access::read && mood_ == Mood::best && reads_of_memory_;
  const bool directly = sharing == Sharing::directly;  // no other sizes are measured so
  // Requests of whole pages and others have curves of their own; a short one is on both.
  const bool use_odd =
      !directly && bytes % kPage != 0 && std::ranges::any_of(profile_.requests, [&](const RequestCell& cell) {
        return is_of(cell, access, of_memory) && cell.bytes > kPage && cell.bytes % kPage != 0;
      });
  std::map<std::uint64_t, double> alone;
  std::map<std::uint64_t, double> share;
  for (const RequestCell& cell : profile_.requests) {
    if (!is_of(cell, access, of_memory) || (cell.sharing == Sharing::directly) != directly) continue;
    // The two kinds of a series' writes are curves of their own.
    if (directly && (cell.bytes < storage::kWorthDirectAfar) != (bytes < storage::kWorthDirectAfar)) continue;
    if (use_odd ? cell.bytes % kPage == 0 : cell.bytes > kPage && cell.bytes % kPage != 0) continue;
    const double seconds = static_cast<double>(cell.bytes) / speed(cell);
    if (cell.ranks == 1) alone[cell.bytes] = seconds;  // whatever the file: nobody else is in it
    if (cell.ranks == 1 || cell.sharing == sharing) {
      const auto [found, is_new] = share.try_emplace(cell.bytes, seconds);
      if (!is_new) found->second = std::min(found->second, seconds);
    }
  }
  // Several ranks in one file may be slower than one: then what they were seen to do counts, and not the one.
  for (const RequestCell& cell : profile_.requests) {
    if (!is_of(cell, access, of_memory) || cell.sharing != sharing) continue;
    if (!share.contains(cell.bytes)) continue;  // not of this curve
    if (cell.ranks != profile_.ranks || cell.ranks == 1 || sharing == Sharing::own_files) continue;
    share[cell.bytes] = static_cast<double>(cell.bytes) / speed(cell);
  }
  if (alone.empty()) return {};  // a profile without reads
  if (directly && bytes >= storage::kWorthDirectAfar) {
    // What is less than a page at either end goes through the cache.
    const Cost edge = request(access, Sharing::directly, kPage / 2);
    return {between(alone, bytes) + 2 * edge.alone_s, between(share, bytes) + 2 * edge.share_s};
  }
  return {between(alone, bytes), between(share, bytes)};
}

double Machine::memory_read_s(std::uint64_t bytes) const {
  std::map<std::uint64_t, double> seconds;
  for (const RequestCell& cell : profile_.requests) {
    if (is_of(cell, Access::read, true) && cell.ranks == 1)
      seconds[cell.bytes] = static_cast<double>(cell.bytes) / speed(cell);
  }
  return seconds.empty() ? 0 : between(seconds, bytes);
}

bool Machine::has_call(const std::string& name) const {
  const auto has = [&](const std::string& call) {
    return std::ranges::any_of(profile_.calls, [&](const CallCell& cell) { return cell.call == call; });
  };
  return has(name) || (name != instead_of(name) && has(instead_of(name)));
}

Cost Machine::call(const std::string& wanted, std::uint64_t ranks) const {
  const bool is_there = std::ranges::any_of(profile_.calls, [&](const CallCell& cell) { return cell.call == wanted; });
  const std::string name = is_there ? wanted : instead_of(wanted);
  const CallCell* of_one = nullptr;
  const CallCell* of_most = nullptr;  // of at most so many ranks
  for (const CallCell& cell : profile_.calls) {
    if (cell.call != name) continue;
    if (of_one == nullptr || cell.ranks < of_one->ranks) of_one = &cell;
    if (static_cast<std::uint64_t>(cell.ranks) <= std::max<std::uint64_t>(ranks, 1) &&
        (of_most == nullptr || cell.ranks > of_most->ranks)) {
      of_most = &cell;
    }
  }
  if (of_one == nullptr) return {};
  if (of_most == nullptr) of_most = of_one;
  const bool asks_the_store = name.find(' ') == std::string::npos;  // "mpi open" is made of many requests
  const double share = asks_the_store && of_most->calls_per_s > 0 ? 1 / of_most->calls_per_s : 0;
  return {asks_the_store ? of_one->call_s : of_most->call_s, share};
}

Cost Machine::sync(std::uint64_t bytes, bool in_records) const {
  const bool has_own = in_records && profile_.sync_records_bytes_per_s > 0;
  const double alone = has_own ? profile_.sync_records_bytes_per_s : profile_.sync_bytes_per_s;
  if (alone <= 0) return {};
  const auto measured = profile_.rates.find(has_own ? "sync records together" : "sync together");
  const double together = measured == profile_.rates.end() ? alone : std::max(alone, measured->second);
  return {static_cast<double>(bytes) / alone, static_cast<double>(bytes) / together};
}

double Machine::link_s(std::uint64_t bytes) const {
  if (cluster_.ranks_per_node > 0) return static_cast<double>(bytes) / cluster_.link_bytes_per_s;
  const auto measured = profile_.rates.find("message");
  const double speed = measured != profile_.rates.end() && measured->second > 0
                           ? measured->second
                           : std::max(profile_.copy_bytes_per_s, 1e9) / 2;  // in and out again
  return call("message", 2).alone_s + static_cast<double>(bytes) / speed;
}

double Machine::meet_s(std::uint64_t ranks) const {
  if (ranks < 2) return 0;
  const double rounds = std::ceil(std::log2(static_cast<double>(ranks)));
  return rounds * (cluster_.ranks_per_node == 0 ? 1e-6 : cluster_.link_latency_s);
}

std::uint64_t Machine::nodes(std::uint64_t ranks) const {
  return cluster_.ranks_per_node == 0 ? 1 : ceil_div(ranks, cluster_.ranks_per_node);
}

}  // namespace weft::predict
