#include "kernels/io/call_latency.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weft::kernels {
namespace {

TEST(CallLatency, BinsDoubleFromAMicrosecond) {
  CallLatency latency;
  for (const double seconds : {0.0, 0.9e-6, 1.1e-6, 3e-6, 3.9e-6}) latency.add(seconds);
  const auto json = to_json(latency);
  EXPECT_EQ(json.at("calls"), 5);
  EXPECT_EQ(json.at("counts"), nlohmann::ordered_json({2, 1, 2, 0}));
  ASSERT_EQ(json.at("bounds_seconds").size(), 3U);
  EXPECT_DOUBLE_EQ(json.at("bounds_seconds")[2].get<double>(), 4e-6);
  EXPECT_DOUBLE_EQ(json.at("max_seconds").get<double>(), 3.9e-6);
  EXPECT_DOUBLE_EQ(json.at("p50_seconds").get<double>(), 2e-6);
  EXPECT_DOUBLE_EQ(json.at("p99_seconds").get<double>(), 3.9e-6);  // no more than the longest call
}

// A sum of both is the same; the histogram tells them apart.
TEST(CallLatency, OneSlowCallAmongMany) {
  CallLatency even;
  CallLatency uneven;
  for (int i = 0; i < 1000; ++i) {
    even.add(1.001e-3);
    uneven.add(i == 500 ? 1.0 : 1e-6);
  }
  EXPECT_LT(uneven.percentile(0.99), 1e-5);
  EXPECT_DOUBLE_EQ(uneven.most(), 1.0);
  EXPECT_DOUBLE_EQ(even.percentile(0.5), 1.001e-3);
}

TEST(CallLatency, WhatTakesLongerThanTheLastBoundIsCounted) {
  CallLatency latency;
  latency.add(1000);
  const auto json = to_json(latency);
  EXPECT_EQ(json.at("counts"), nlohmann::ordered_json({1}));
  EXPECT_TRUE(json.at("bounds_seconds").empty());
  EXPECT_DOUBLE_EQ(json.at("p99_seconds").get<double>(), 1000);
}

TEST(CallLatency, Adds) {
  CallLatencies one;
  CallLatencies other;
  one.write.add(1e-3);
  other.write.add(2e-3);
  other.close.add(1);
  one += other;
  EXPECT_EQ(one.write.calls(), 2U);
  EXPECT_EQ(one.close.calls(), 1U);
  const auto json = to_json(one);
  EXPECT_TRUE(json.contains("write"));
  EXPECT_FALSE(json.contains("open"));
  EXPECT_EQ(CallLatency::of(one.write.counts(), one.write.most()), one.write);
}

}  // namespace
}  // namespace weft::kernels
