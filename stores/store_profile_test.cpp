#include "stores/store_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stores/probe_plan.hpp"
#include "stores/striping.hpp"
#include "stores/timed_file.hpp"
#include "weft/support/error.hpp"

namespace weft::stores {
namespace {

using testing::HasSubstr;

RequestCell cell(Access access, Sharing sharing, std::uint64_t bytes, int ranks, double request_s, double speed) {
  RequestCell one{access, sharing, bytes, ranks};
  one.request_s = request_s;
  one.late_s = 2 * request_s;
  one.bytes_per_s = one.least_bytes_per_s = one.most_bytes_per_s = speed;
  return one;
}

StoreProfile some_profile() {
  StoreProfile profile;
  profile.name = "x";
  profile.file_system = "ext4";
  profile.taken = "2026-01-01";
  profile.ranks = 4;
  profile.requests = {cell(Access::read, Sharing::own_files, 512, 1, 1e-3, 512e3),
                      cell(Access::read, Sharing::own_files, 1'000'512, 1, 11e-3, 90e6)};
  for (const auto& [ranks, speed] : {std::pair{1, 50e6}, {2, 90e6}, {4, 95e6}}) {
    const Sharing sharing = ranks == 1 ? Sharing::own_files : Sharing::apart;
    profile.requests.push_back(cell(Access::write, sharing, 1 << 20, ranks, 1e-2, speed));
  }
  profile.calls = {{"create", 1, 2e-3, 500}};
  profile.striping = {1 << 20, 4, "lustre.lov"};
  return profile;
}

std::string refusal_of(const nlohmann::ordered_json& json) {
  try {
    profile_from_json(json, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(StoreProfile, ComesBackFromJsonAsItWas) {
  const nlohmann::ordered_json json = to_json(some_profile());
  EXPECT_EQ(to_json(profile_from_json(json, "x.json")).dump(), json.dump());
}

TEST(StoreProfile, AReadCostsALatencyAndItsBytes) {
  const layout::AccessCost cost = some_profile().read_cost();
  EXPECT_DOUBLE_EQ(cost.latency_s, 1e-3);
  EXPECT_NEAR(cost.bandwidth, 1e8, 1) << "1,000,000 bytes more took 10 ms more";
}

TEST(StoreProfile, WritersThatBringLittleAreNotNeeded) { EXPECT_EQ(some_profile().enough_writers(), 2); }

TEST(StoreProfile, WhatIsNoneIsRefused) {
  EXPECT_THAT(refusal_of({{"name", "x"}}), HasSubstr("is no store profile"));
  EXPECT_THAT(refusal_of(nlohmann::ordered_json()), HasSubstr("is no store profile"));
  nlohmann::ordered_json json = to_json(some_profile());
  json["weft_store_profile"] = 2;
  EXPECT_THAT(refusal_of(json), HasSubstr("version 2 is not known"));
  json = to_json(some_profile());
  json["requests"] = nlohmann::ordered_json::array();
  EXPECT_THAT(refusal_of(json), HasSubstr("no requests"));
  for (const auto& [key, value] : std::vector<std::pair<const char*, nlohmann::ordered_json>>{
           {"access", "seek"}, {"bytes", -1}, {"request_s", 0}, {"bytes_per_s", "fast"}, {"ranks", 0}}) {
    json = to_json(some_profile());
    json["requests"][0][key] = value;
    EXPECT_THAT(refusal_of(json), HasSubstr("is not a whole store profile")) << key;
    json["requests"][0].erase(key);
    EXPECT_THAT(refusal_of(json), HasSubstr(key));
  }
}

TEST(ProbePlan, LeavesHalfOfTheRoomAndNeedsSome) {
  const ProbePlan plan = plan_probe("here", {}, 4, 1ULL << 30);
  EXPECT_LE(plan.needed_bytes, 1ULL << 29);
  EXPECT_GT(plan.part_bytes, 0U);
  const auto cells = static_cast<double>(plan.requests.size() + plan.calls.size());
  EXPECT_NEAR(plan.cell_seconds * cells * plan.passes, 60, 1e-6);
  EXPECT_THROW(plan_probe("here", {}, 4, 8ULL << 20), Error);
  EXPECT_THROW(plan_probe("here", {}, 0, 1ULL << 40), Error);
  EXPECT_THROW(plan_probe("here", {.seconds = 0}, 1, 1ULL << 40), Error);
}

TEST(ProbePlan, MeasuresDirectWritesWhereASeriesWritesSo) {
  const auto direct_cells = [](bool writes_directly) {
    return std::ranges::count(plan_probe("here", {}, 2, 1ULL << 40, writes_directly).requests, Sharing::directly,
                              &RequestCell::sharing);
  };
  EXPECT_EQ(direct_cells(false), 0);
  EXPECT_EQ(direct_cells(true), 14) << "seven sizes, from one rank and from two";
  const ProbePlan nearly_full = plan_probe("here", {}, 2, 70ULL << 20, true);
  for (const RequestCell& cell : nearly_full.requests) {
    EXPECT_LE(cell.bytes, nearly_full.written_bytes) << "a cell without a request";
  }
}

TEST(ProbePlan, AskFromOneRankAndFromAllAndBetween) {
  std::vector<int> ranks;
  for (const RequestCell& one : plan_probe("here", {}, 6, 1ULL << 40).requests) {
    if (ranks.empty() || ranks.back() != one.ranks) ranks.push_back(one.ranks);
  }
  EXPECT_THAT(std::vector<int>(ranks.begin(), ranks.begin() + 4), testing::ElementsAre(1, 2, 4, 6));
  for (const RequestCell& one : plan_probe("here", {}, 1, 1ULL << 40).requests) {
    EXPECT_EQ(one.sharing, Sharing::own_files) << "one rank shares with nobody";
  }
}

TEST(Striping, IsReadFromTheAttributesOfLustreAndCeph) {
  EXPECT_EQ(striping_in("ceph.file.layout", "stripe_unit=4194304 stripe_count=2 object_size=8 pool=p").bytes, 4194304U);
  EXPECT_EQ(striping_in("ceph.file.layout", "stripe_unit=4194304 stripe_count=2 object_size=8 pool=p").count, 2U);
  std::string lustre(48, '\0');
  const std::uint32_t magic = 0x0BD10BD0;
  const std::uint32_t stripe = 1 << 20;
  const std::uint16_t count = 8;
  std::memcpy(lustre.data(), &magic, 4);
  std::memcpy(lustre.data() + 24, &stripe, 4);
  std::memcpy(lustre.data() + 28, &count, 2);
  EXPECT_EQ(striping_in("lustre.lov", lustre).bytes, stripe);
  EXPECT_EQ(striping_in("lustre.lov", lustre).count, count);
  EXPECT_EQ(striping_in("lustre.lov", lustre.substr(0, 20)).bytes, 0U);
  EXPECT_EQ(striping_in("lustre.lov", std::string(48, 'x')).bytes, 0U);
}

TEST(Timings, AQuantileOfSomeSeconds) {
  EXPECT_EQ((Timings{{3, 1, 2}, 6}).quantile(0.5), 2);
  EXPECT_EQ((Timings{{3, 1, 2}, 6}).quantile(1), 3);
  EXPECT_EQ(Timings{}.quantile(0.5), 0);
}

}  // namespace
}  // namespace weft::stores
