#include "weft/storage/store_cost.hpp"

#include <gtest/gtest.h>

namespace weft::storage {
namespace {

using layout::AccessCost;

constexpr AccessCost kNear{.latency_s = 1e-6, .bandwidth = 10e9};

ReadOutcome waited(std::uint64_t requests, std::uint64_t bytes, double seconds) {
  return {.requests = requests, .bytes = bytes, .threads = 1, .waits = requests, .seconds = seconds};
}
constexpr ReadOutcome kWithoutWaits{.requests = 8, .bytes = 800, .threads = 8, .waits = 1, .seconds = 1};

TEST(StoreCostTest, AReadThatWaitedMuchLongerRaisesTheLatencyAtOnce) {
  StoreCost cost(kNear);
  cost.saw(kNear, waited(150, 1200, 0.015));
  EXPECT_NEAR(cost.now().latency_s, 100e-6, 1e-6);
  EXPECT_EQ(cost.now().bandwidth, AccessCost{}.bandwidth);
}

TEST(StoreCostTest, OneWaitThatTookVeryLongMakesItADistantStoreAndNoMore) {
  StoreCost cost(kNear);
  cost.saw(kNear, waited(1, 8, 3));
  EXPECT_EQ(cost.now().latency_s, AccessCost{}.latency_s);
  constexpr AccessCost kFarther{.latency_s = 5e-3, .bandwidth = 1e8};
  StoreCost slow(kFarther);
  slow.saw(kFarther, waited(1, 8, 3));
  EXPECT_EQ(slow.now().latency_s, kFarther.latency_s);
  EXPECT_EQ(slow.now().bandwidth, kFarther.bandwidth);
}

TEST(StoreCostTest, ABusyMachineTeachesNothing) {
  StoreCost cost(kNear);
  cost.saw(kNear, {.requests = 100, .bytes = 800, .threads = 1, .waits = 3, .seconds = 0.2});  // no core was free
  cost.saw(kNear, waited(100, 1'000'000'000, 0.6));                                            // within 8 times
  cost.saw(kNear, waited(0, 0, 1));
  EXPECT_EQ(cost.now().latency_s, kNear.latency_s);
  EXPECT_EQ(cost.now().bandwidth, kNear.bandwidth);
}

TEST(StoreCostTest, ALongReadThatIsSlowIsNotTakenForManyRequests) {
  StoreCost cost(kNear);
  cost.saw(kNear, waited(1000, 1'000'000'000, 0.9));  // 8 times 0.1 s may be the bytes, 0.1 s are of 1000 requests
  EXPECT_NEAR(cost.now().latency_s, 100e-6, 1e-6);
}

TEST(StoreCostTest, EightReadsInARowWithoutWaitsAreOfMemory) {
  constexpr AccessCost kFar{.latency_s = 2e-3, .bandwidth = 1e8};
  StoreCost cost(kFar);
  for (int read = 0; read < 7; ++read) cost.saw(kFar, kWithoutWaits);
  cost.saw(kFar, waited(8, 800, 0.016));  // the row begins again
  for (int read = 0; read < 7; ++read) cost.saw(kFar, kWithoutWaits);
  EXPECT_EQ(cost.now().latency_s, kFar.latency_s);
  cost.saw(kFar, kWithoutWaits);
  EXPECT_EQ(cost.now().latency_s, 1e-6);
  EXPECT_EQ(cost.now().bandwidth, 10e9);
}

TEST(StoreCostTest, WhatWasInMemoryAtFirstCostsAgainWhatItCostThen) {
  StoreCost cost(kNear);
  cost.saw(kNear, waited(150, 1200, 0.15));
  for (int read = 0; read < 8; ++read) cost.saw(cost.now(), kWithoutWaits);
  EXPECT_EQ(cost.now().latency_s, kNear.latency_s);
  EXPECT_EQ(cost.now().bandwidth, kNear.bandwidth);
}

TEST(StoreCostTest, AReadPlannedBeforeTheLastLessonTeachesNothing) {
  StoreCost cost(kNear);
  cost.saw(kNear, waited(150, 1200, 0.015));
  const double learned = cost.now().latency_s;
  cost.saw(kNear, waited(150, 1200, 0.15));
  EXPECT_EQ(cost.now().latency_s, learned);
}

}  // namespace
}  // namespace weft::storage
