#include "weft/series/commit_schedule.hpp"

#include <algorithm>
#include <utility>

namespace weft::series {

namespace {

constexpr double kSecondsApart = 0.25;  // a rank waits for the others whenever they ask; signals and failures can wait
constexpr std::uint64_t kMostApart = 256;  // steps may become slow
// One word for a reduction to its greatest: the wish above, and below it what is left of kMostApart, so that the
// greatest is the shortest.
constexpr unsigned kWishAt = 32;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

CommitSchedule::CommitSchedule(double most_seconds, std::uint64_t most_steps, Clock clock)
    : clock_(std::move(clock)),
      most_seconds_(most_seconds),
      most_steps_(most_steps),
      oldest_(clock_()),
      asked_(oldest_) {}

CommitSchedule::Wish CommitSchedule::after_step(Communicator& comm, Wish mine) {
  ++gathered_;
  const bool full = most_steps_ > 0 && gathered_ >= most_steps_;  // known to all alike
  if (--until_asking_ > 0) return full ? Wish::commit : Wish::nothing;
  const auto now = clock_();
  if (mine < Wish::commit && (full || (most_seconds_ > 0 && seconds_between(oldest_, now) >= most_seconds_))) {
    mine = Wish::commit;
  }
  // Twice as far apart at most as the last time: steps may become slower.
  const double a_step = seconds_between(asked_, now) / static_cast<double>(apart_);
  const double apart = most_seconds_ > 0 ? std::min(kSecondsApart, most_seconds_ / 4) : kSecondsApart;
  const double wanted = a_step > 0 ? apart / a_step : static_cast<double>(kMostApart);
  const std::uint64_t most = std::min(kMostApart, 2 * apart_);
  apart_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::min(wanted, 1e6)), 1, most);
  const std::uint64_t word = comm.max(static_cast<std::uint64_t>(mine) << kWishAt | (kMostApart - apart_));
  apart_ = kMostApart - (word & 0xffffffffU);
  until_asking_ = apart_;
  asked_ = now;
  return static_cast<Wish>(word >> kWishAt);
}

void CommitSchedule::committed() {
  gathered_ = 0;
  oldest_ = clock_();
}

}  // namespace weft::series
