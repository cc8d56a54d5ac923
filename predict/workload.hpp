// predict/workload.hpp - what the ranks of a run do, without values: requests of what size, calls, and what they wait
// for. Pure: the same for every store.
//
// Ranks that do the same are one group. A step that is repeated without waiting for anybody is one step with `times`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stores/store_profile.hpp"

namespace weft::predict {

enum class Act : std::uint8_t {
  spend,   // seconds of the rank's own: computing, copying
  call,    // `times` calls of a name that a profile has: "create", "mpi open", ...
  write,   // `times` requests of `bytes`
  read,    // the same, for bytes that are there
  sync,    // `bytes` of the rank's come to the disk
  travel,  // `bytes` leave the node for other ranks
  meet,    // all ranks wait for each other
  wait,    // until at most `times` of what `by` does are left
};

// Who does a step.
enum class By : std::uint8_t {
  rank,
  thread,  // of the rank, which goes on
  disk,    // it brings to itself what a page cache has; nobody waits
};

struct Step {
  Act act = Act::spend;
  std::string phase;  // as the run's report names its seconds: open, write, close, ...
  std::string call{};
  std::uint64_t bytes = 0;
  std::uint64_t made_bytes = 0;  // of a write: what the call that made the file wrote of it
  double times = 1;
  double seconds = 0;
  stores::Sharing sharing = stores::Sharing::own_files;
  bool in_memory = false;   // of reads: the client has the bytes, and the store is not asked
  bool in_records = false;  // of a sync: what was written is no whole pages
  By by = By::rank;
};

// What one rank does, in its order. Steps that are equal and follow each other are joined where nobody can see it.
class RankSteps {
 public:
  void spend(const std::string& phase, double seconds);
  void call(const std::string& phase, const std::string& name, double times = 1);
  void write(const std::string& phase, stores::Sharing sharing, std::uint64_t bytes, double times);
  // The first write of a file that the call "make" has begun with a page.
  void go_on(const std::string& phase, stores::Sharing sharing, std::uint64_t bytes, double times);
  void read(const std::string& phase, stores::Sharing sharing, std::uint64_t bytes, double times);
  void read_memory(const std::string& phase, std::uint64_t bytes, double times);
  void call_behind(const std::string& name, double times = 1);
  void write_behind(stores::Sharing sharing, std::uint64_t bytes, double times);
  void wait(const std::string& phase, double left = 0);
  void sync(const std::string& phase, std::uint64_t bytes, std::uint64_t request_bytes);  // that wrote them
  void start_writeback(std::uint64_t bytes);
  void wait_for_writeback(const std::string& phase);
  void travel(const std::string& phase, std::uint64_t bytes);
  void meet(const std::string& phase);

  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

struct RankGroup {
  std::uint64_t ranks = 1;
  std::vector<Step> steps;
};

// Between ranks, in a run.
struct Messages {
  double count = 0;
  double bytes = 0;
};

// Requests and their bytes, of all ranks.
struct Requests {
  double writes = 0;
  double bytes = 0;
  void add(const Requests& more, double times = 1) {
    writes += times * more.writes;
    bytes += times * more.bytes;
  }
};

struct Workload {
  std::string kernel;
  std::string strategy;
  std::uint64_t ranks = 1;
  std::uint64_t bytes = 0;             // that the run writes in all
  std::optional<Messages> messages{};  // of a series, where they are known
  // That reach the store. Nothing where it is not known what MPI-IO makes of those in `groups`.
  std::optional<Requests> at_store{};
  // What a series' writer does by the clock is in neither: it begins after so many seconds. 0: there is no clock.
  double clock_seconds = 0;
  std::vector<RankGroup> groups{};
  std::vector<RankGroup> afterwards{};  // the same ranks, once the run has ended: its phases are not part of the output
  // Which ranks are of which group, in the order of ranks: {group, how many}; empty: the first group's ranks come
  // first.
  std::vector<std::pair<std::size_t, std::uint64_t>> order{};
  std::vector<std::string> leaves_out{};  // what is known not to be in it, a line each
};

// The same again and again. Groups keep their ranks.
std::vector<RankGroup> repeated(const std::vector<RankGroup>& groups, std::uint64_t times);

// What the ranks ask for, as `groups` have it: of MPI-IO it is the pieces that they give to it.
Requests requests_of(const Workload& work);

}  // namespace weft::predict
