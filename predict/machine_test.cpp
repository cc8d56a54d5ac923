#include "predict/machine.hpp"

#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::predict {
namespace {

using stores::Access;
using stores::RequestCell;
using stores::Sharing;
using stores::StoreProfile;

RequestCell written(Sharing sharing, std::uint64_t bytes, int ranks, double bytes_per_s) {
  RequestCell cell{Access::write, sharing, bytes, ranks};
  cell.bytes_per_s = bytes_per_s;
  cell.least_bytes_per_s = bytes_per_s / 2;
  cell.most_bytes_per_s = bytes_per_s * 2;
  return cell;
}

// A request of 4,096 bytes takes 1 ms, one of 1 MiB 10 ms; two ranks get 1.5 times as much, 1.2 times in one file.
StoreProfile profile() {
  StoreProfile store;
  store.name = "x";
  store.ranks = 2;
  for (const auto& [bytes, seconds] : {std::pair{4096ULL, 1e-3}, {1ULL << 20, 1e-2}}) {
    const double alone = static_cast<double>(bytes) / seconds;
    store.requests.push_back(written(Sharing::own_files, bytes, 1, alone));
    store.requests.push_back(written(Sharing::own_files, bytes, 2, 1.5 * alone));
    store.requests.push_back(written(Sharing::apart, bytes, 2, 1.2 * alone));
    store.requests.push_back(written(Sharing::in_turn, bytes, 2, 0.5 * alone));
  }
  store.calls = {
      {"create", 1, 2e-3, 500}, {"create", 2, 3e-3, 600}, {"mpi open", 1, 1e-2, 100}, {"mpi open", 2, 3e-2, 33}};
  store.sync_bytes_per_s = 1e9;
  store.copy_bytes_per_s = 8e9;
  return store;
}

TEST(Machine, ARequestCostsItsTimeAloneAndAShareOfTheStore) {
  const StoreProfile store = profile();
  const Machine machine(store, {}, Mood::middle);
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 4096).alone_s, 1e-3, 1e-9);
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 4096).share_s, 1e-3 / 1.5, 1e-9);
  EXPECT_NEAR(machine.request(Access::write, Sharing::apart, 4096).share_s, 1e-3 / 1.2, 1e-9);
  EXPECT_NEAR(machine.request(Access::write, Sharing::in_turn, 4096).share_s, 2e-3, 1e-9)
      << "slower together than one alone";
}

TEST(Machine, BetweenTwoSizesOnLogarithmicScalesAndBeyondInProportion) {
  const StoreProfile store = profile();
  const Machine machine(store, {}, Mood::middle);
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 65536).alone_s, 3.1622776e-3, 1e-8)
      << "half of the way: sqrt(10)";
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 4ULL << 20).alone_s, 4e-2, 1e-8);
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 8).alone_s, 1e-3, 1e-9)
      << "a few bytes are a request, too";
}

TEST(Machine, WhatIsNoWholePageHasItsOwnCurve) {
  StoreProfile store = profile();
  store.requests.push_back(written(Sharing::own_files, 47'008, 1, 47'008 / 5e-3));
  const Machine machine(store, {}, Mood::middle);
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 47'008).alone_s, 5e-3, 1e-9);
  EXPECT_NEAR(machine.request(Access::write, Sharing::own_files, 4096).alone_s, 1e-3, 1e-9);
}

TEST(Machine, MoodsAreTheSlowestAndTheQuickestPass) {
  const StoreProfile store = profile();
  EXPECT_NEAR(Machine(store, {}, Mood::best).request(Access::write, Sharing::own_files, 4096).alone_s, 0.5e-3, 1e-9);
  EXPECT_NEAR(Machine(store, {}, Mood::worst).request(Access::write, Sharing::own_files, 4096).alone_s, 2e-3, 1e-9);
}

TEST(Machine, DirectWritesHaveACurveOfTheirOwnAndEdges) {
  StoreProfile store = profile();
  const auto direct = [&] {
    return Machine(store, {}, Mood::middle).request(Access::write, Sharing::directly, 1ULL << 20);
  };
  EXPECT_EQ(direct().alone_s,
            Machine(store, {}, Mood::middle).request(Access::write, Sharing::apart, 1ULL << 20).alone_s)
      << "where nothing is written so";
  const auto edge = [&] {
    return Machine(store, {}, Mood::middle).request(Access::write, Sharing::directly, 2048).alone_s;
  };
  const double edges = 2 * edge();
  EXPECT_EQ(edges, 2 * Machine(store, {}, Mood::middle).request(Access::write, Sharing::apart, 2048).alone_s);
  store.requests.push_back(written(Sharing::directly, 1ULL << 20, 1, (1ULL << 20) / 1e-3));
  EXPECT_NEAR(direct().alone_s, 1e-3 + edges, 1e-9);
  EXPECT_NEAR(Machine(store, {}, Mood::middle).request(Access::write, Sharing::apart, 4096).alone_s, 1e-3, 1e-9)
      << "the others do not see it";
  // Short requests within a file that has its length, where the profile has them.
  store.requests.push_back(written(Sharing::directly, 4096, 1, 4096 / 5e-4));
  EXPECT_NEAR(edge(), 5e-4, 1e-9);
  EXPECT_NEAR(direct().alone_s, 1e-3 + 2 * 5e-4, 1e-9);
}

TEST(Machine, ReadsComeFromTheStoreAndInTheBestCaseFromMemory) {
  StoreProfile store = profile();
  EXPECT_EQ(Machine(store, {}, Mood::middle).request(Access::read, Sharing::apart, 4096).alone_s, 0) << "has none";
  RequestCell cell = written(Sharing::own_files, 4096, 1, 4096 / 3e-3);
  cell.access = Access::read;
  store.requests.push_back(cell);
  cell.cached = true;
  cell.bytes_per_s = cell.most_bytes_per_s = 4096 / 1e-6;
  store.requests.push_back(cell);
  const auto seconds = [&](Mood mood) {
    return Machine(store, {}, mood).request(Access::read, Sharing::apart, 4096).alone_s;
  };
  EXPECT_NEAR(seconds(Mood::middle), 3e-3, 1e-9);
  EXPECT_NEAR(seconds(Mood::worst), 6e-3, 1e-9);
  EXPECT_NEAR(seconds(Mood::best), 1e-6, 1e-12);
  EXPECT_NEAR(Machine(store, {}, Mood::middle).memory_read_s(8), 1e-6, 1e-12);
  EXPECT_EQ(Machine(profile(), {}, Mood::middle).memory_read_s(8), 0);
}

TEST(Machine, CallsOfLibrariesTakeWhatSoManyRanksMeasured) {
  const StoreProfile store = profile();
  const Machine machine(store, {}, Mood::middle);
  EXPECT_DOUBLE_EQ(machine.call("create", 2).alone_s, 2e-3);
  EXPECT_DOUBLE_EQ(machine.call("create", 2).share_s, 1.0 / 600);
  EXPECT_DOUBLE_EQ(machine.call("mpi open", 1).alone_s, 1e-2);
  EXPECT_DOUBLE_EQ(machine.call("mpi open", 64).alone_s, 3e-2) << "those of the most ranks that measured it";
  EXPECT_DOUBLE_EQ(machine.call("mpi open", 64).share_s, 0);
  EXPECT_FALSE(machine.has_call("hdf5 step"));
  EXPECT_DOUBLE_EQ(machine.call("hdf5 step", 2).alone_s, 0);
}

TEST(Machine, ProfilesWithoutGridsThatDoNotFitACacheHaveThoseThatDo) {
  StoreProfile store = profile();
  store.calls.push_back({"mpi value in memory", 1, 1e-8, 1e8});
  const Machine older(store, {}, Mood::middle);
  EXPECT_TRUE(older.has_call("mpi value of many"));
  EXPECT_DOUBLE_EQ(older.call("mpi value of many", 1).alone_s, 1e-8);
  EXPECT_FALSE(older.has_call("mpi value of many together"));
  store.calls.push_back({"mpi value of many", 1, 3e-8, 3e7});
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).call("mpi value of many", 1).alone_s, 3e-8);
}

TEST(Machine, RecordsThatAreNoWholePagesTakeLongerToSync) {
  StoreProfile store = profile();
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, true).alone_s, 1) << "not known";
  store.sync_records_bytes_per_s = 5e8;
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, true).alone_s, 2);
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, false).alone_s, 1);
}

TEST(Machine, RanksThatSyncAtOnceTakeLessThanOneAfterTheOther) {
  StoreProfile store = profile();
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, false).share_s, 1) << "not known";
  store.rates = {{"sync together", 2e9}, {"sync records together", 4e8}};
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, false).share_s, 0.5);
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, false).alone_s, 1);
  store.sync_records_bytes_per_s = 5e8;
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).sync(1'000'000'000, true).share_s, 2) << "no slower than one";
}

TEST(Machine, MessagesOnOneNodeTakeWhatWasMeasured) {
  StoreProfile store = profile();
  store.rates["message"] = 1e9;
  EXPECT_DOUBLE_EQ(Machine(store, {}, Mood::middle).link_s(1'000'000'000), 1);
  const Cluster cluster{.ranks_per_node = 24, .link_bytes_per_s = 1e10, .link_latency_s = 1e-6};
  EXPECT_DOUBLE_EQ(Machine(store, cluster, Mood::middle).link_s(1'000'000'000), 0.1);
}

TEST(Machine, NodesHaveLinksOfTheirOwn) {
  const StoreProfile store = profile();
  const Machine one(store, {}, Mood::middle);
  EXPECT_EQ(one.nodes(64), 1U);
  EXPECT_DOUBLE_EQ(one.link_s(4'000'000'000), 1) << "in and out of memory";
  const Machine many(store, {.ranks_per_node = 24, .link_bytes_per_s = 1e10, .link_latency_s = 1e-6}, Mood::middle);
  EXPECT_EQ(many.nodes(192), 8U);
  EXPECT_DOUBLE_EQ(many.link_s(1'000'000'000), 0.1);
  EXPECT_DOUBLE_EQ(many.meet_s(192), 8e-6) << "2^8 is the first power that is not less";
}

TEST(Machine, AProfileWithoutWritesIsRefused) {
  StoreProfile store = profile();
  std::erase_if(store.requests, [](const RequestCell& cell) { return cell.ranks == 1; });
  EXPECT_THROW(Machine(store, {}, Mood::middle), Error);
}

}  // namespace
}  // namespace weft::predict
