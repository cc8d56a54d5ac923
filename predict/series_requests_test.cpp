#include "predict/series_requests.hpp"

#include <gtest/gtest.h>

namespace weft::predict {
namespace {

TEST(SeriesRequests, WindowsShareTheStepsOfAChunkAndEndWithTheSeries) {
  std::vector<std::uint64_t> steps;
  std::uint64_t next = 0;
  for (const Window& window : windows_of(5, 18, 38)) {
    EXPECT_EQ(window.first, next);
    next += window.steps;
    steps.push_back(window.steps);
  }
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{5, 4, 5, 4, 5, 4, 5, 4, 2}));
}

TEST(SeriesRequests, WholeChunksAreOneRunUnlessTheyAreAligned) {
  Tiles tiles{.chunk_steps = 4, .count = 3, .bytes = 10, .step_bytes = 30, .pitch_bytes = 40};
  const auto three = [&tiles](std::uint64_t steps) {
    const WindowRequests requests = window_requests(tiles, 3, steps, 50);
    return std::vector{requests.whole, requests.rests, requests.rest_bytes};
  };
  EXPECT_EQ(three(4), (std::vector<std::uint64_t>{2, 1, 20}));
  EXPECT_EQ(three(2), (std::vector<std::uint64_t>{0, 3, 20})) << "parts of three chunks";
  tiles.pitch_bytes = 64;
  EXPECT_EQ(three(4), (std::vector<std::uint64_t>{0, 3, 40}));
}

}  // namespace
}  // namespace weft::predict
