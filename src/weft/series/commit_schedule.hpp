// weft/series/commit_schedule.hpp - when ranks bring what they have gathered into the file although a window is not
// full: when the oldest of it is old enough, when a batch system says that the end is near, and when a rank has a
// failure to tell.
//
// Ranks must decide alike, at the same step, and their clocks differ. So they ask one another: one reduction of a word,
// every quarter of a second, or after every step that takes longer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "weft/support/communicator.hpp"

namespace weft::series {

class CommitSchedule {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `most_seconds`: how old a step may become before it is brought into the file; `most_steps`: how many may wait; 0:
  // any. Not collective. `clock` is for tests.
  CommitSchedule(double most_seconds, std::uint64_t most_steps, Clock clock = std::chrono::steady_clock::now);

  // What a rank has to say after a step; the values grow with urgency.
  enum class Wish : std::uint8_t { nothing, commit, commit_for_signal, failure };

  // After each step: the most urgent wish of all ranks, among them those of the clock. Collective now and then, at the
  // same steps on all ranks.
  Wish after_step(Communicator& comm, Wish mine);

  // All that was gathered is on its way: its age counts from here.
  void committed();

 private:
  Clock clock_;
  double most_seconds_;
  std::uint64_t most_steps_;
  std::uint64_t gathered_ = 0;                    // steps since committed()
  std::uint64_t until_asking_ = 1;                // steps until ranks ask one another again
  std::uint64_t apart_ = 1;                       // steps between two askings
  std::chrono::steady_clock::time_point oldest_;  // end of the step before the first that waits
  std::chrono::steady_clock::time_point asked_;
};

}  // namespace weft::series
