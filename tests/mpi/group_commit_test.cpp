// Ranks that share a commit slot: it is raised when the last of them is done, and never falls.
#include "weft/storage/group_commit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/support/mpi_communicator.hpp"
#include "weft/support/shared_memory.hpp"

namespace weft {
namespace {

using storage::GroupCommit;

// What ranks tell each other at set-up arrives wrong, as where they do not see each other's processes.
class StrangerCommunicator final : public Communicator {
 public:
  explicit StrangerCommunicator(Communicator& inner) : inner_(inner) {}
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::uint64_t min(std::uint64_t value) override { return inner_.min(value); }
  std::uint64_t max(std::uint64_t value) override { return inner_.max(value); }
  std::uint64_t sum(std::uint64_t value) override { return inner_.sum(value); }
  std::uint64_t sum_before(std::uint64_t value) override { return inner_.sum_before(value); }
  void broadcast(std::vector<std::byte>& bytes, int root) override { inner_.broadcast(bytes, root); }
  std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) override {
    auto incoming = inner_.all_to_all(outgoing);
    for (auto& one : incoming) {
      if (one.size() > 8) one.back() ^= std::byte{1};
    }
    return incoming;
  }
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    inner_.exchange(outgoing, incoming);
  }

 private:
  Communicator& inner_;
};

class GroupCommitTest : public testing::Test {
 protected:
  MpiCommunicator comm_{MPI_COMM_WORLD};
  std::filesystem::path path_;
  storage::SeriesCatalog catalog_;
  std::unique_ptr<storage::ByteStore> store_;

  std::vector<std::uint64_t> nodes(int ranks_each) const {
    std::vector<std::uint64_t> all;
    for (int rank = 0; rank < comm_.size(); ++rank) all.push_back(static_cast<std::uint64_t>(rank / ranks_each));
    return all;
  }

  // A file with the slots of these groups, from step 0 on.
  void make_file(const GroupCommit& commit, std::uint64_t words) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("weft-group-" + std::string(test->name()) + "-" + std::to_string(comm_.size()) + ".h5");
    storage::FilePlan plan;
    plan.segment_steps = 1000;
    plan.commit_slots = words;
    if (comm_.rank() == 0) {
      std::filesystem::remove(path_);
      storage::create_series_file(path_.string(), plan);
    }
    comm_.max(0);
    catalog_ = storage::read_catalog(path_.string());
    store_ = storage::open_store(path_.string(), storage::OpenMode::write);
    comm_.max(0);  // all have read it before its bytes change
    if (comm_.rank() == 0) storage::write_slots(*store_, catalog_, commit.groups().words_from(0, words));
    comm_.max(0);
  }
  void TearDown() override {
    comm_.max(0);
    if (comm_.rank() == 0) std::filesystem::remove(path_);
  }

  std::uint64_t committed() { return storage::committed_steps(storage::read_slots(*store_, catalog_)); }
  GroupCommit::Target target() { return {*store_, catalog_, false}; }
};

TEST_F(GroupCommitTest, TheLastOfANodeRaisesTheSlot) {
  GroupCommit commit(comm_, nodes(comm_.size()), true);
  make_file(commit, 64);
  EXPECT_EQ(commit.groups().count(), 1U) << "ranks of one machine share memory";
  for (std::uint64_t steps = 10; steps <= 50; steps += 10) {
    std::uint64_t raised = 0;
    // Rank 0 waits for all others: before it is done nothing is committed.
    if (comm_.rank() != 0) raised = commit.done(steps, target()) ? 1 : 0;
    EXPECT_EQ(comm_.sum(raised), 0U);
    EXPECT_EQ(committed(), steps - 10);
    comm_.max(0);
    if (comm_.rank() == 0) {
      EXPECT_TRUE(commit.done(steps, target()));
    }
    comm_.max(0);
    EXPECT_EQ(committed(), steps);
    comm_.max(0);
  }
}

TEST_F(GroupCommitTest, ItNeverFallsHoweverRanksRace) {
  GroupCommit commit(comm_, nodes(2), true);
  make_file(commit, storage::words_for_slots(nodes(2)));
  std::mt19937 random(static_cast<unsigned>(comm_.rank()));
  std::uint64_t seen = 0;
  for (std::uint64_t steps = 1; steps <= 300; ++steps) {
    if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    commit.done(steps, target());
    const std::uint64_t now = committed();
    EXPECT_GE(now, seen);
    EXPECT_LE(now, steps);
    seen = now;
  }
  comm_.max(0);
  EXPECT_EQ(committed(), 300U);
}

TEST_F(GroupCommitTest, RanksThatWriteNothingTakeNoPart) {
  const bool writes = comm_.rank() == comm_.size() - 1;
  GroupCommit commit(comm_, nodes(2), writes);
  make_file(commit, storage::words_for_slots(nodes(2)));
  EXPECT_EQ(commit.done(7, target()), writes);
  comm_.max(0);
  EXPECT_EQ(committed(), 7U);
}

TEST_F(GroupCommitTest, OfAGroupOfSeveralNodesTheOthersSendAMessage) {
  GroupCommit commit(comm_, nodes(1), true, 2);
  make_file(commit, storage::words_for_slots(nodes(1), 2));
  EXPECT_EQ(commit.groups().count(), std::min<std::uint64_t>(2, static_cast<std::uint64_t>(comm_.size())));
  for (std::uint64_t steps = 10; steps <= 50; steps += 10) {
    commit.done(steps, target());
    comm_.max(0);
    EXPECT_EQ(committed(), commit.groups().span_nodes() ? steps - 10 : steps) << "they have not sent it yet";
    comm_.max(0);
    commit.settle(comm_, target());
    comm_.max(0);
    EXPECT_EQ(committed(), steps);
    comm_.max(0);
  }
}

TEST_F(GroupCommitTest, RanksThatCannotShareMemoryHaveASlotEach) {
  StrangerCommunicator strangers(comm_);
  GroupCommit commit(strangers, nodes(comm_.size()), true);
  make_file(commit, storage::words_for_slots(nodes(comm_.size())));
  EXPECT_EQ(commit.groups().count(), static_cast<std::uint64_t>(comm_.size()));
  EXPECT_EQ(commit.groups().slot_of(comm_.rank()), static_cast<std::uint64_t>(comm_.rank()));
  EXPECT_TRUE(commit.done(10 + static_cast<std::uint64_t>(comm_.rank()), target()));
  comm_.max(0);
  EXPECT_EQ(committed(), 10U);
}

TEST_F(GroupCommitTest, MemoryIsSharedWithinAGroupAlone) {
  std::vector<std::uint64_t> groups = nodes(2);
  groups.back() = SharedMemory::kNoGroup;
  const auto memory = SharedMemory::between(comm_, groups, 16);
  ASSERT_TRUE(memory);
  const std::uint64_t mine = groups[static_cast<std::size_t>(comm_.rank())];
  if (mine != SharedMemory::kNoGroup) {
    EXPECT_EQ(memory->bytes().size(), 16U);
    if (comm_.rank() % 2 == 0) memory->bytes()[3] = static_cast<std::byte>(mine + 1);
  }
  comm_.max(0);
  if (mine != SharedMemory::kNoGroup) {
    EXPECT_EQ(memory->bytes()[3], static_cast<std::byte>(mine + 1));
    EXPECT_EQ(memory->bytes()[4], std::byte{0});
  } else {
    EXPECT_TRUE(memory->bytes().empty());
  }
  comm_.max(0);
}

}  // namespace
}  // namespace weft
