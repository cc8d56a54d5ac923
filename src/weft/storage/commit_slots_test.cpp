#include "weft/storage/commit_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "weft/storage/series_file.hpp"

namespace weft::storage {
namespace {

using testing::ElementsAre;

TEST(CommittedSteps, AreTheLeastOfTheSlotsThatWrite) {
  EXPECT_EQ(committed_steps({7, 5, 9}), 5U);
  EXPECT_EQ(committed_steps({kIdleSlot, 5, kIdleSlot}), 5U);
  EXPECT_EQ(committed_steps({kIdleSlot, kIdleSlot}), 0U);
  EXPECT_EQ(committed_steps({0, 5}), 0U);
}

// Passes writes on and looks at the file after each: what a crash there would leave.
class WatchingStore final : public ByteStore {
 public:
  WatchingStore(std::unique_ptr<ByteStore> inner, std::function<void(ByteStore&)> look)
      : inner_(std::move(inner)), look_(std::move(look)) {}
  const std::string& name() const override { return inner_->name(); }
  std::uint64_t size() override { return inner_->size(); }
  void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) override { inner_->read_at(offset, pieces); }
  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override {
    inner_->write_at(offset, pieces);
    look_(*inner_);
  }
  void reserve(std::uint64_t offset, std::uint64_t bytes) override { inner_->reserve(offset, bytes); }
  void sync() override { inner_->sync(); }
  void close() override { inner_->close(); }

 private:
  std::unique_ptr<ByteStore> inner_;
  std::function<void(ByteStore&)> look_;
};

class CommitSlotsTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-commit-slots-" + std::to_string(getpid()));
  SeriesMap map_;

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    FilePlan plan;
    plan.segment_steps = 100;
    plan.commit_slots = 4;
    map_ = create_series_file((folder_ / "a.h5").string(), plan);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ByteStore> open() const { return open_posix(map_.path, OpenMode::write); }
};

TEST_F(CommitSlotsTest, ANewFileHasNothingCommitted) {
  const auto store = open();
  EXPECT_THAT(read_slots(*store, map_), ElementsAre(0, 0, 0, 0));
}

TEST_F(CommitSlotsTest, ARankRaisesItsOwnSlotAlone) {
  const auto store = open();
  raise_slot(*store, map_, 2, 17);
  EXPECT_THAT(read_slots(*store, map_), ElementsAre(0, 0, 17, 0));
}

TEST_F(CommitSlotsTest, GoingBackNeverVouchesForMoreThanBefore) {
  // Four ranks wrote to steps 40, 50, 60 and nothing; two go on from step 30.
  const auto store = open();
  raise_slot(*store, map_, 0, 40);
  raise_slot(*store, map_, 1, 50);
  raise_slot(*store, map_, 2, 60);
  raise_slot(*store, map_, 3, kIdleSlot);
  std::vector<std::uint64_t> on_the_way;
  WatchingStore watching(open(),
                         [&](ByteStore& inner) { on_the_way.push_back(committed_steps(read_slots(inner, map_))); });
  reset_slots(watching, map_, 2, 30);
  EXPECT_THAT(read_slots(*store, map_), ElementsAre(30, 30, kIdleSlot, kIdleSlot));
  EXPECT_THAT(on_the_way, testing::Each(30));
}

TEST_F(CommitSlotsTest, MoreSlotsKeepWhatTheOldOnesSay) {
  const auto store = open();
  for (const std::uint64_t rank : {0U, 1U, 2U, 3U}) raise_slot(*store, map_, rank, 40 + rank);
  const SeriesMap grown = grow_slots(map_, 6);
  EXPECT_THAT(read_slots(*open(), grown), ElementsAre(40, 41, 42, 43, kIdleSlot, kIdleSlot));
  EXPECT_EQ(read_series_map(map_.path).commit.shape, Shape{6});
}

}  // namespace
}  // namespace weft::storage
