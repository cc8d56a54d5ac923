#include "weft/series/window_length.hpp"

#include <gtest/gtest.h>

namespace weft::series {
namespace {

TEST(WindowLengthTest, TheExampleOfTheHeader) {
  const WindowNeeds needs{26'000'000, 0};
  EXPECT_EQ(steps_that_fit(needs, 256ULL << 20, 19), 5U);
  EXPECT_EQ(window_steps(5, 19), 5U);
  std::uint64_t step = 0;
  for (const std::uint64_t end : {5U, 10U, 15U, 19U, 24U}) {
    step = window_end(step, 5, 19, 151);
    EXPECT_EQ(step, end);
  }
}

TEST(WindowLengthTest, MemoryIsTwoWindowsAndOneMail) {
  const WindowNeeds needs{100, 30};
  EXPECT_EQ(least_budget(needs), 230U);
  EXPECT_EQ(steps_that_fit(needs, 229, 10), 0U);
  EXPECT_EQ(steps_that_fit(needs, 230, 10), 1U);
  EXPECT_EQ(steps_that_fit(needs, 1 << 20, 10), 10U) << "never more than a chunk's steps";
  EXPECT_EQ(steps_that_fit({}, 0, 10), 10U) << "a rank with nothing holds nobody back";
}

TEST(WindowLengthTest, AChunksStepsAreSharedEvenly) {
  for (std::uint64_t chunk = 1; chunk < 60; ++chunk) {
    for (std::uint64_t fitting = 1; fitting <= chunk; ++fitting) {
      const std::uint64_t steps = window_steps(fitting, chunk);
      ASSERT_GE(steps, 1U);
      ASSERT_LE(steps, fitting);
      ASSERT_EQ((chunk + steps - 1) / steps, (chunk + fitting - 1) / fitting) << "no window more than needed";
    }
  }
}

TEST(WindowLengthTest, NoWindowReachesOverAChunkOrASegment) {
  EXPECT_EQ(window_end(17, 5, 19, 151), 19U);
  EXPECT_EQ(window_end(19, 5, 19, 21), 21U);
  EXPECT_EQ(window_end(3, 5, 19, 151), 5U) << "a restart in the middle of a chunk";
}

TEST(WindowLengthTest, WindowsOfAChunkDifferByOneStepAtMost) {
  for (std::uint64_t chunk = 1; chunk < 60; ++chunk) {
    for (std::uint64_t fitting = 1; fitting <= chunk; ++fitting) {
      const std::uint64_t most = window_steps(fitting, chunk);
      std::uint64_t count = 0;
      std::uint64_t least = chunk;
      for (std::uint64_t step = 2 * chunk; step < 3 * chunk; ++count) {
        const std::uint64_t end = window_end(step, most, chunk, 10 * chunk);
        for (std::uint64_t within = step; within < end; ++within) {
          ASSERT_EQ(window_end(within, most, chunk, 10 * chunk), end) << "steps of a window know its end alike";
        }
        ASSERT_GT(end, step);
        ASSERT_LE(end - step, most);
        least = std::min(least, end - step);
        step = end;
      }
      ASSERT_EQ(count, (chunk + fitting - 1) / fitting);
      ASSERT_GE(least + 1, most);
    }
  }
}

}  // namespace
}  // namespace weft::series
