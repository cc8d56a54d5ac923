#include "weft/storage/commit_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "weft/storage/commit_groups.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::storage {
namespace {

using testing::ElementsAre;

TEST(CommittedSteps, AreTheLeastOfTheSlotsThatWrite) {
  EXPECT_EQ(committed_steps({7, 5, 9}), 5U);
  EXPECT_EQ(committed_steps({kIdleSlot, 5, kIdleSlot}), 5U);
  EXPECT_EQ(committed_steps({kIdleSlot, kIdleSlot}), 0U);
  EXPECT_EQ(committed_steps({0, 5}), 0U);
}

class CommitSlotsTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-commit-slots-" + std::to_string(getpid()));
  SeriesCatalog catalog_;

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    FilePlan plan;
    plan.segment_steps = 100;
    plan.commit_slots = 4;
    catalog_ = create_series_file((folder_ / "a.h5").string(), plan);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ByteStore> open() const { return open_store(catalog_.path, OpenMode::write); }
};

TEST_F(CommitSlotsTest, ANewFileHasNothingCommitted) {
  const auto store = open();
  EXPECT_THAT(read_slots(*store, catalog_), ElementsAre(0, 0, 0, 0));
}

TEST_F(CommitSlotsTest, ARankRaisesItsOwnSlotAlone) {
  const auto store = open();
  raise_slot(*store, catalog_, 2, 17);
  EXPECT_THAT(read_slots(*store, catalog_), ElementsAre(0, 0, 17, 0));
}

NewWriter writers_from(std::uint64_t from, const std::vector<bool>& writing) {
  const std::vector<std::uint64_t> slots = CommitGroups::alone(writing).words_from(from, 4);
  return {slots, slots, {}};
}

TEST_F(CommitSlotsTest, WhoGoesOnHasSlotsOfItsOwn) {
  // Four ranks wrote to steps 40, 50, 60 and nothing; two go on from step 30.
  const auto store = open();
  for (const std::uint64_t rank : {0U, 1U, 2U}) raise_slot(*store, catalog_, rank, 40 + 10 * rank);
  raise_slot(*store, catalog_, 3, kIdleSlot);
  const SeriesCatalog again = continue_series(catalog_, 30, writers_from(30, {true, true}));
  EXPECT_THAT(read_slots(*open(), again), ElementsAre(30, 30, kIdleSlot, kIdleSlot));
  EXPECT_EQ(to_bytes(again), to_bytes(read_catalog(catalog_.path)));

  // A rank of the run before that is not dead yet.
  raise_slot(*store, catalog_, 0, 70);
  EXPECT_THAT(read_slots(*open(), read_catalog(catalog_.path)), ElementsAre(30, 30, kIdleSlot, kIdleSlot));

  const SeriesCatalog larger = continue_series(again, 30, writers_from(30, std::vector<bool>(6, true)));
  EXPECT_THAT(read_slots(*open(), larger), ElementsAre(30, 30, 30, 30, 30, 30));
}

TEST_F(CommitSlotsTest, TheBytesOfOldSlotsAreUsedForNothingElse) {
  // Every old place is written to by a rank of a dead run, after each of the changes there are.
  std::vector<SeriesCatalog> before;
  SeriesCatalog catalog = catalog_;
  const auto store = open();
  const auto disturb = [&] {
    for (const SeriesCatalog& old : before) {
      for (std::uint64_t rank = 0; rank < old.commit.shape[0]; ++rank) {
        raise_slot(*store, old, rank, 0xEEEEEEEEEEEEEEEEULL);
        raise_durable(*store, old, rank, 0xEEEEEEEEEEEEEEEEULL);
      }
    }
    EXPECT_EQ(to_bytes(read_catalog(catalog.path)), to_bytes(catalog));
  };
  for (int round = 0; round < 5; ++round) {
    before.push_back(catalog);
    catalog = continue_series(catalog, 7, writers_from(7, {true, true}));
    disturb();
    catalog = add_room(catalog, catalog.capacity());
    disturb();
    set_length(catalog, 7 + static_cast<std::uint64_t>(round));
    catalog = read_catalog(catalog.path);
    disturb();
    EXPECT_THAT(read_slots(*open(), catalog), ElementsAre(7, 7, kIdleSlot, kIdleSlot));
  }
}

}  // namespace
}  // namespace weft::storage
