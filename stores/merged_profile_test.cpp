#include "stores/merged_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "weft/support/error.hpp"

namespace weft::stores {
namespace {

using testing::HasSubstr;

// Of a minute in which everything took `slower` times as long as in another.
StoreProfile taken(const char* day, double slower) {
  StoreProfile profile;
  profile.name = "x";
  profile.file_system = "ext4";
  profile.taken = day;
  profile.ranks = 2;
  RequestCell cell{Access::write, Sharing::apart, 4096, 2};
  cell.requests = 10;
  cell.request_s = 1e-5 * slower;
  cell.late_s = 2e-5 * slower;
  cell.bytes_per_s = 4e8 / slower;
  cell.least_bytes_per_s = 3e8 / slower;
  cell.most_bytes_per_s = 5e8 / slower;
  profile.requests = {cell};
  profile.calls = {{"create", 1, 1e-4 * slower, 1e4 / slower}};
  profile.sync_bytes_per_s = 1e9 / slower;
  profile.sync_records_bytes_per_s = 8e8 / slower;
  profile.copy_bytes_per_s = 8e9 / slower;
  profile.rates = {{"zlib", 9e7 / slower}};
  return profile;
}

TEST(MergedProfile, HasTheMediansAndTheExtremes) {
  const StoreProfile all = merged(std::vector{taken("2026-01-01", 1), taken("2026-01-03", 9), taken("2026-01-02", 2)});
  EXPECT_EQ(all.taken, "2026-01-03");
  ASSERT_EQ(all.requests.size(), 1U);
  EXPECT_EQ(all.requests[0].requests, 30U);
  EXPECT_DOUBLE_EQ(all.requests[0].request_s, 2e-5);
  EXPECT_DOUBLE_EQ(all.requests[0].late_s, 4e-5);
  EXPECT_DOUBLE_EQ(all.requests[0].bytes_per_s, 2e8);
  EXPECT_DOUBLE_EQ(all.requests[0].least_bytes_per_s, 3e8 / 9);
  EXPECT_DOUBLE_EQ(all.requests[0].most_bytes_per_s, 5e8);
  ASSERT_EQ(all.calls.size(), 1U);
  EXPECT_DOUBLE_EQ(all.calls[0].call_s, 2e-4);
  EXPECT_DOUBLE_EQ(all.calls[0].calls_per_s, 5e3);
  EXPECT_DOUBLE_EQ(all.sync_bytes_per_s, 5e8);
  EXPECT_DOUBLE_EQ(all.sync_records_bytes_per_s, 4e8);
  EXPECT_DOUBLE_EQ(all.copy_bytes_per_s, 4e9);
  EXPECT_DOUBLE_EQ(all.rates.at("zlib"), 4.5e7);
}

TEST(MergedProfile, OfTwoTakesWhatLiesBetween) {
  const StoreProfile both = merged(std::vector{taken("2026-01-01", 1), taken("2026-01-01", 4)});
  EXPECT_DOUBLE_EQ(both.requests[0].request_s, 2e-5);
  EXPECT_DOUBLE_EQ(both.sync_bytes_per_s, 5e8);
}

TEST(MergedProfile, LeavesOutWhatNotAllHave) {
  StoreProfile older = taken("2026-01-01", 1);
  older.requests.push_back(older.requests[0]);
  older.requests.back().bytes = 512;
  older.calls.push_back({"open", 1, 1e-6, 1e6});
  older.rates["format"] = 1e8;
  StoreProfile other = taken("2026-01-02", 1);
  other.sync_records_bytes_per_s = 0;
  other.cores = 4;
  const StoreProfile both = merged(std::vector{older, other});
  EXPECT_EQ(both.requests.size(), 1U);
  EXPECT_EQ(both.calls.size(), 1U);
  EXPECT_EQ(both.rates.size(), 1U);
  EXPECT_EQ(both.sync_records_bytes_per_s, 0);
  EXPECT_EQ(both.cores, 0) << "one of them does not say";
}

TEST(MergedProfile, OfOneIsThatOne) {
  const StoreProfile one = taken("2026-01-01", 1);
  EXPECT_DOUBLE_EQ(merged(std::vector{one}).requests[0].bytes_per_s, one.requests[0].bytes_per_s);
}

std::string merging_refused(const std::vector<StoreProfile>& profiles) {
  try {
    merged(profiles);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(MergedProfile, WhatIsOfDifferentStoresIsRefused) {
  EXPECT_THAT(merging_refused({}), HasSubstr("names no profile"));
  StoreProfile lustre = taken("2026-01-01", 1);
  lustre.file_system = "lustre";
  EXPECT_THAT(merging_refused({taken("2026-01-01", 1), lustre}),
              HasSubstr("of ext4 on 2 ranks of 1 nodes and of lustre"));
  StoreProfile alone = taken("2026-01-01", 1);
  alone.ranks = 1;
  EXPECT_THAT(merging_refused({taken("2026-01-01", 1), alone}), HasSubstr("1 ranks"));
}

}  // namespace
}  // namespace weft::stores
