#include "weft/series/commit_schedule.hpp"

#include <gtest/gtest.h>

namespace weft::series {
namespace {

using Wish = CommitSchedule::Wish;
using namespace std::chrono_literals;

// Counts how often ranks ask one another, and answers with what another rank says.
class OtherRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  std::uint64_t min(std::uint64_t value) override { return value; }
  std::uint64_t max(std::uint64_t value) override {
    ++asked;
    return std::max(value, says);
  }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  std::uint64_t sum_before(std::uint64_t) override { return 0; }
  void broadcast(std::vector<std::byte>&, int) override {}
  std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) override {
    return outgoing;
  }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}

  int asked = 0;
  std::uint64_t says = 0;
};

class CommitScheduleTest : public testing::Test {
 protected:
  std::chrono::steady_clock::time_point now_{};
  OtherRank comm_;
  CommitSchedule schedule(double seconds, std::uint64_t steps = 0) {
    return {seconds, steps, [this] { return now_; }};
  }
};

TEST_F(CommitScheduleTest, SlowStepsAreAskedForEachAndCommittedByAge) {
  CommitSchedule schedule = this->schedule(60);
  int commits = 0;
  for (int step = 0; step < 100; ++step) {
    now_ += 7s;
    if (schedule.after_step(comm_, Wish::nothing) == Wish::nothing) continue;
    ++commits;
    schedule.committed();
  }
  EXPECT_EQ(comm_.asked, 100);
  EXPECT_EQ(commits, 100 / 9) << "the ninth of 7 s is the first at 60 s";
}

TEST_F(CommitScheduleTest, QuickStepsAreAskedForSeldomAndNoStepGrowsOlder) {
  CommitSchedule schedule = this->schedule(60);
  auto oldest = now_;
  for (int step = 0; step < 2'000'000; ++step) {
    now_ += 100us;
    if (schedule.after_step(comm_, Wish::nothing) == Wish::nothing) continue;
    EXPECT_LT(now_ - oldest, 60s + 100ms);
    oldest = now_;
    schedule.committed();
  }
  EXPECT_LT(comm_.asked, 2'000'000 / 250);
  EXPECT_GT(comm_.asked, 2'000'000 / 260);
}

TEST_F(CommitScheduleTest, StepsThatBecomeSlowAreNoticed) {
  CommitSchedule schedule = this->schedule(60);
  for (int step = 0; step < 10'000; ++step) {
    now_ += 1us;
    schedule.after_step(comm_, Wish::nothing);
  }
  const int asked = comm_.asked;
  for (int step = 0; step < 2000; ++step) {
    now_ += 10ms;
    schedule.after_step(comm_, Wish::nothing);
  }
  EXPECT_GT(comm_.asked - asked, 70) << "once the long stretch is over ranks ask every 0.25 s again";
  EXPECT_LT(comm_.asked - asked, 90);
}

TEST_F(CommitScheduleTest, ShortAgesAreAskedForOften) {
  CommitSchedule schedule = this->schedule(0.1);
  auto oldest = now_;
  for (int step = 0; step < 10'000; ++step) {
    now_ += 1ms;
    if (schedule.after_step(comm_, Wish::nothing) == Wish::nothing) continue;
    EXPECT_LT(now_ - oldest, 130ms);
    oldest = now_;
    schedule.committed();
  }
  EXPECT_LT(comm_.asked, 10'000 / 20);
}

TEST_F(CommitScheduleTest, SoManyStepsAreCommittedWithoutAsking) {
  CommitSchedule schedule = this->schedule(0, 5);
  for (int step = 1; step <= 50; ++step) {
    const Wish wish = schedule.after_step(comm_, Wish::nothing);
    EXPECT_EQ(wish, step % 5 == 0 ? Wish::commit : Wish::nothing) << step;
    if (wish == Wish::commit) schedule.committed();
  }
}

TEST_F(CommitScheduleTest, TheMostUrgentWishOfAllIsDone) {
  CommitSchedule schedule = this->schedule(60);
  now_ += 1s;
  comm_.says = static_cast<std::uint64_t>(Wish::commit_for_signal) << 32U | 255U;  // and asks again after a step
  EXPECT_EQ(schedule.after_step(comm_, Wish::nothing), Wish::commit_for_signal);
  now_ += 1s;
  EXPECT_EQ(schedule.after_step(comm_, Wish::failure), Wish::failure);
}

TEST_F(CommitScheduleTest, WithoutLimitsNothingIsDue) {
  CommitSchedule schedule = this->schedule(0);
  for (int step = 0; step < 100; ++step) {
    now_ += 1h;
    EXPECT_EQ(schedule.after_step(comm_, Wish::nothing), Wish::nothing);
  }
}

}  // namespace
}  // namespace weft::series
