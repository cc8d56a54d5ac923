#include "weft/storage/writer_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

// In memory, where it can be: what threads do to each other shows where no disk is waited for.
std::filesystem::path folder_of_tests() {
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
}

class WriterStateTest : public testing::Test {
 protected:
  std::filesystem::path folder_ = folder_of_tests() / ("weft-writer-state-" + std::to_string(getpid()));
  SeriesCatalog catalog_;
  std::unique_ptr<ByteStore> store_;

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    FilePlan plan;
    plan.segment_steps = 100;
    plan.commit_slots = 2;
    catalog_ = create_series_file((folder_ / "a.h5").string(), plan);
    store_ = open_store(catalog_.path, OpenMode::write);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void say(std::uint64_t written, std::uint64_t durable, const BootId& boot) {
    write_new_writer(*store_, catalog_, {{written, kIdleSlot}, {durable, kIdleSlot}, boot});
  }
};

TEST_F(WriterStateTest, WrittenStepsCountOnTheMachineThatWroteThem) {
  say(40, 30, boot_id());
  EXPECT_EQ(readable_steps(*store_, catalog_), 40U);
}

TEST_F(WriterStateTest, AfterARestartDurableStepsCount) {
  say(40, 30, {1, 2});
  EXPECT_EQ(readable_steps(*store_, catalog_), 30U);
  say(40, 40, {1, 2});
  EXPECT_EQ(readable_steps(*store_, catalog_), 40U);
}

TEST_F(WriterStateTest, OfSeveralMachinesNobodyKnows) {
  say(40, 30, {});
  EXPECT_EQ(readable_steps(*store_, catalog_), 30U);
}

TEST_F(WriterStateTest, ALivingWriterIsBelieved) {
  say(40, 30, {1, 2});
  const WriterLock lock = WriterLock::take(catalog_.path, {"a test"});
  EXPECT_EQ(readable_steps(*store_, catalog_), 40U);
}

TEST_F(WriterStateTest, WhereADiskRefusedASyncDurableStepsCount) {
  say(40, 30, boot_id());
  begin_change(catalog_);
  const WriterState before = read_writer_state(*store_, catalog_);
  forget_boot(*store_, catalog_);
  const WriterState after = read_writer_state(*store_, catalog_);
  EXPECT_EQ(after.epoch, before.epoch);
  EXPECT_EQ(after.changes, before.changes);
  EXPECT_EQ(readable_steps(*store_, catalog_), 30U);
}

TEST_F(WriterStateTest, ThatADiskRefusedASyncIsNotUndoneByAChangeThatIsUnderWay) {
  for (int round = 0; round < 50; ++round) {
    say(40, 30, boot_id());
    std::atomic<int> changes = 0;
    std::thread changing([&] {
      for (; changes < 20; ++changes) {
        begin_change(catalog_);
        end_change(catalog_);
      }
    });
    while (changes < 3) std::this_thread::yield();
    forget_boot(*store_, catalog_);
    changing.join();
    ASSERT_EQ(read_writer_state(*store_, catalog_).boot, BootId{}) << "round " << round;
  }
}

TEST_F(WriterStateTest, WhereNothingIsPromisedTheWrittenOnesCount) {
  say(40, kIdleSlot, {1, 2});
  EXPECT_EQ(readable_steps(*store_, catalog_), 40U);
}

TEST_F(WriterStateTest, ANewEpochShutsOutTheOldOneAndKeepsTheRest) {
  say(40, 30, {1, 2});
  EXPECT_NO_THROW(check_epoch(*store_, catalog_, 1));
  begin_epoch(catalog_);
  EXPECT_THROW(check_epoch(*store_, catalog_, 1), Error);
  EXPECT_NO_THROW(check_epoch(*store_, catalog_, 2));
  EXPECT_EQ(read_writer_state(*store_, catalog_).boot, (BootId{1, 2}));
  EXPECT_EQ(readable_steps(*store_, catalog_), 30U);
}

TEST_F(WriterStateTest, AChangeIsOddWhileItIsUnderWay) {
  say(0, 0, {});
  EXPECT_EQ(read_writer_state(*store_, catalog_).changes, 0U);
  begin_change(catalog_);
  EXPECT_EQ(read_writer_state(*store_, catalog_).changes % 2, 1U);
  begin_change(catalog_);  // the first was cut short
  EXPECT_EQ(read_writer_state(*store_, catalog_).changes % 2, 1U);
  end_change(catalog_);
  EXPECT_EQ(read_writer_state(*store_, catalog_).changes, 2U);
  end_interrupted_change(catalog_);  // there is none
  EXPECT_EQ(read_writer_state(*store_, catalog_).changes, 2U);
  begin_change(catalog_);
  end_interrupted_change(catalog_);
  EXPECT_EQ(read_writer_state(*store_, catalog_).changes, 4U);
}

TEST_F(WriterStateTest, FilesOfBeforeHaveNone) {
  SeriesCatalog before = catalog_;
  before.writer = {};
  before.durable = {};
  say(40, 30, {1, 2});
  EXPECT_EQ(readable_steps(*store_, before), 40U);
  EXPECT_NO_THROW(check_epoch(*store_, before, 7));
  EXPECT_EQ(read_writer_state(*store_, before).epoch, 0U);
}

}  // namespace
}  // namespace weft::storage
