#include "weft/series/durability.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::series {
namespace {

using storage::ByteStore;
using storage::DurableWord;
using storage::kIdleSlot;

// Tells of every sync, before it is done, and of every write, after it.
class WatchedStore final : public ByteStore {
 public:
  explicit WatchedStore(std::unique_ptr<ByteStore> inner) : inner_(std::move(inner)) {}
  const std::string& name() const override { return inner_->name(); }
  std::uint64_t size() override { return inner_->size(); }
  void read_at(std::uint64_t offset, std::span<const storage::MutableBytes> pieces) override {
    inner_->read_at(offset, pieces);
  }
  void write_at(std::uint64_t offset, std::span<const storage::Bytes> pieces) override {
    inner_->write_at(offset, pieces);
    events.emplace_back("write");
  }
  void reserve(std::uint64_t offset, std::uint64_t bytes) override { inner_->reserve(offset, bytes); }
  void sync() override {
    events.emplace_back("sync");
    if (on_sync) on_sync();
    inner_->sync();
  }
  void close() override { inner_->close(); }

  std::vector<std::string> events;
  std::function<void()> on_sync;

 private:
  std::unique_ptr<ByteStore> inner_;
};

class DurabilityTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-durability-" + std::to_string(getpid()));
  storage::SeriesCatalog catalog_;
  std::unique_ptr<ByteStore> plain_;
  std::unique_ptr<WatchedStore> store_;

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    storage::FilePlan plan;
    plan.segment_steps = 100;
    plan.commit_slots = 4;
    catalog_ = storage::create_series_file((folder_ / "a.h5").string(), plan);
    plain_ = storage::open_store(catalog_.path, storage::OpenMode::write);
    store_ = std::make_unique<WatchedStore>(storage::open_store(catalog_.path, storage::OpenMode::write));
    storage::write_new_writer(*plain_, catalog_, {{0, 0, 0, kIdleSlot}, {0, kIdleSlot, 0, kIdleSlot}, {}});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void raise(std::uint64_t rank, std::uint64_t steps) { storage::raise_slot(*plain_, catalog_, rank, steps); }
};

TEST_F(DurabilityTest, WhatWasWrittenBeforeTheSyncIsDurableAndNothingElse) {
  Durability client(*store_, catalog_, DurableWord{0, 0, {0, 1}}, 1, 0);
  raise(0, 40);
  raise(1, 50);
  raise(2, 30);
  store_->on_sync = [&] { raise(0, 60); };  // of a window that this sync may not reach
  client.sync_now();
  EXPECT_THAT(store_->events, testing::ElementsAre("sync", "write", "sync")) << "the word, too";
  EXPECT_EQ(storage::durable_steps(*plain_, catalog_), 0U) << "the other client has synced nothing";
  Durability other(*store_, catalog_, DurableWord{2, 2, {2}}, 1, 0);
  other.sync_now();
  EXPECT_EQ(storage::durable_steps(*plain_, catalog_), 30U);
  raise(2, 90);
  other.sync_now();
  EXPECT_EQ(storage::durable_steps(*plain_, catalog_), 40U);
}

TEST_F(DurabilityTest, NothingNewIsNotSyncedUnlessAllIsAskedFor) {
  Durability client(*store_, catalog_, DurableWord{0, 0, {0, 1}}, 1, 0);
  client.sync_now();
  EXPECT_TRUE(store_->events.empty());
  client.sync_now(true);
  EXPECT_THAT(store_->events, testing::ElementsAre("sync"));
}

TEST_F(DurabilityTest, AClientThatWritesNoStepsSyncsAndPromisesNothing) {
  raise(0, 40);
  Durability client(*store_, catalog_, DurableWord{3, std::nullopt, {}}, 1, 0);
  client.sync_now();
  EXPECT_THAT(store_->events, testing::ElementsAre("sync")) << "words of its ranks, with Sync::window";
  client.sync_now(true);
  EXPECT_THAT(store_->events, testing::ElementsAre("sync", "sync")) << "what else its ranks have written";
  Durability of_another(*store_, catalog_, std::nullopt, 1, 0);
  store_->events.clear();
  of_another.sync_now(true);
  EXPECT_TRUE(store_->events.empty());
}

TEST_F(DurabilityTest, AnEarlierEpochPromisesNothing) {
  Durability client(*store_, catalog_, DurableWord{0, 0, {0, 1}}, 1, 0);
  raise(0, 40);
  raise(1, 40);
  storage::begin_epoch(catalog_);
  EXPECT_THROW(client.sync_now(), Error);
  EXPECT_EQ(storage::durable_steps(*plain_, catalog_), 0U);
  EXPECT_TRUE(client.failure());
}

TEST_F(DurabilityTest, AfterASyncThatFailedNothingIsPromised) {
  Durability client(*store_, catalog_, DurableWord{0, 0, {0, 1, 2}}, 1, 0);
  raise(0, 40);
  raise(1, 40);
  raise(2, 40);
  store_->on_sync = [] { throw system_error("a.h5", "cannot flush the data to the disk", EIO); };
  EXPECT_THROW(client.sync_now(), Error);
  store_->on_sync = nullptr;
  EXPECT_THROW(client.sync_now(), Error) << "the next sync would not know of the bytes that were lost";
  EXPECT_EQ(storage::durable_steps(*plain_, catalog_), 0U);
}

TEST_F(DurabilityTest, AThreadDoesItBehindTheRun) {
  storage::write_new_writer(*plain_, catalog_, {{0, 0, 0, kIdleSlot}, {0, kIdleSlot, kIdleSlot, kIdleSlot}, {}});
  const Durability client(*store_, catalog_, DurableWord{0, 0, {0, 1, 2}}, 1, 0.01);
  for (const std::uint64_t rank : {0U, 1U, 2U}) raise(rank, 40 + rank);
  for (int look = 0; look < 500 && storage::durable_steps(*plain_, catalog_) < 40; ++look) ::usleep(10'000);
  EXPECT_EQ(storage::durable_steps(*plain_, catalog_), 40U);
}

TEST(ClientOfRanks, AGroupOfOneIsItsOwnClient) {
  SelfCommunicator alone;
  EXPECT_THAT(clients_of_ranks(alone, {1, 2, 3}), testing::ElementsAre(0));
}

}  // namespace
}  // namespace weft::series
