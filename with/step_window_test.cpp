#include "with/step_window.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace weft::with {
namespace {

Step step(std::uint64_t index) { return {0, {{index, 10, 0}, {1, 3, 2}}}; }

std::vector<double> values(double first) { return {first, first + 1, first + 2, first + 3, first + 4, first + 5}; }

void put(StepWindow& window, const std::vector<double>& some) {
  window.put(reinterpret_cast<const std::byte*>(some.data()));
  window.added(1);
}

TEST(StepWindow, HoldsStepsThatFollowEachOther) {
  StepWindow window(step(7), 7, 3, 8);
  EXPECT_EQ(window.step_bytes(), 48U);
  EXPECT_TRUE(window.fits(step(7), 7));
  EXPECT_FALSE(window.fits(step(8), 8));
  put(window, values(0));
  put(window, values(100));
  EXPECT_FALSE(window.fits(step(8), 8)) << "that one is there";
  EXPECT_TRUE(window.fits(step(9), 9));
  EXPECT_EQ(window.filled(), (Box{{7, 10, 0}, {2, 3, 2}}));
  EXPECT_EQ(window.memory_shape(), (Shape{3, 3, 2}));
  EXPECT_EQ(window.memory_box(), (Box{{0, 0, 0}, {2, 3, 2}}));
  std::vector<double> held(12);
  std::memcpy(held.data(), window.data(), 96);
  EXPECT_EQ(held[0], 0);
  EXPECT_EQ(held[6], 100);
  put(window, values(200));
  EXPECT_TRUE(window.full());
  EXPECT_FALSE(window.fits(step(10), 10));
}

TEST(StepWindow, AlongAnInnerAxisItKeepsTheOrderOfTheFile) {
  // Elements (2, step, 3): two runs of three, a window's depth apart.
  const Step part{1, {{0, 4, 0}, {2, 1, 3}}};
  StepWindow window(part, 4, 5, 8);
  EXPECT_EQ(window.runs(), 2U);
  EXPECT_EQ(window.run_bytes(), 24U);
  EXPECT_EQ(window.stride_bytes(), 120U);
  put(window, values(0));
  put(window, values(10));
  std::vector<double> held(30);
  std::memcpy(held.data(), window.data(), 240);
  EXPECT_EQ(held[0], 0);
  EXPECT_EQ(held[3], 10);
  EXPECT_EQ(held[15], 3);
  EXPECT_EQ(held[18], 13);
  EXPECT_EQ(window.memory_box(), (Box{{0, 0, 0}, {2, 2, 3}}));
}

TEST(StepWindow, WhatWasWrittenIsNotWrittenAgain) {
  StepWindow window(step(0), 0, 4, 8);
  put(window, values(0));
  window.wrote_own_part();
  put(window, values(1));
  EXPECT_EQ(window.filled(), (Box{{1, 10, 0}, {1, 3, 2}}));
  EXPECT_EQ(window.memory_box(), (Box{{1, 0, 0}, {1, 3, 2}}));
  window.restart(2, 6);
  EXPECT_EQ(window.steps(), 0U);
  EXPECT_EQ(window.capacity(), 6U);
  EXPECT_TRUE(window.fits(step(2), 2));
}

TEST(StepWindow, ARankWithoutElementsCountsSteps) {
  StepWindow window({}, 3, 2, 0);
  EXPECT_TRUE(window.nothing());
  EXPECT_TRUE(window.same_part({}));
  EXPECT_FALSE(window.same_part(step(3)));
  window.added(1);
  window.added(1);
  EXPECT_TRUE(window.full());
  EXPECT_TRUE(window.filled().count.empty());
}

TEST(StepWindow, TheStepAxisIsTheFirstThatIsOneThick) {
  EXPECT_EQ(step_axis_of({{3, 0}, {1, 50}}, {10, 50}), 0U);
  EXPECT_EQ(step_axis_of({{0, 0}, {1, 50}}, {1, 50}), 0U) << "a series of one step so far";
  EXPECT_EQ(step_axis_of({{0, 4}, {10, 1}}, {10, 50}), 1U);
  EXPECT_EQ(step_axis_of({{0, 0, 4}, {2, 1, 1}}, {2, 1, 50}), 2U) << "an axis of one is no axis of steps";
  EXPECT_EQ(step_axis_of({{0, 0}, {2, 50}}, {10, 50}), std::string_view::npos);
}

}  // namespace
}  // namespace weft::with
