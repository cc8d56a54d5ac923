#include "weft/storage/commit_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "weft/storage/series_catalog.hpp"

namespace weft::storage {
namespace {

using testing::ElementsAre;
using Nodes = std::vector<std::uint64_t>;

Nodes nodes_of(std::uint64_t nodes, std::uint64_t ranks_each) {
  Nodes all;
  for (std::uint64_t node = 0; node < nodes; ++node) all.insert(all.end(), ranks_each, 100 + node);
  return all;
}

TEST(CommitGroups, RanksOfANodeShareASlot) {
  const CommitGroups one(nodes_of(1, 4), {true, false, true, true});
  EXPECT_EQ(one.count(), 1U);
  EXPECT_EQ(one.slot_of(0), 0U);
  EXPECT_EQ(one.slot_of(1), std::nullopt);
  EXPECT_THAT(one.members(3), ElementsAre(0, 2, 3));
  EXPECT_FALSE(one.span_nodes());
  EXPECT_THAT(one.words_from(7, 3), ElementsAre(7, kIdleSlot, kIdleSlot));
}

TEST(CommitGroups, SlotsOfNodesLieAPageApart) {
  const CommitGroups groups(nodes_of(3, 2), {true, true, false, false, false, true});
  EXPECT_EQ(groups.count(), 2U) << "a node of which nobody writes has none";
  EXPECT_EQ(groups.slot_of(1), 0U);
  EXPECT_EQ(groups.slot_of(3), std::nullopt);
  EXPECT_EQ(groups.slot_of(5), kSlotSpacing);
  EXPECT_EQ(groups.words_from(0, 1).size(), 2 * kSlotSpacing) << "nobody else writes into the last slot's page";
}

TEST(CommitGroups, RanksOfANodeNeedNotBeInARow) {
  const CommitGroups groups(Nodes{5, 9, 5, 9}, {true, true, true, true});
  EXPECT_THAT(groups.members(0), ElementsAre(0, 2));
  EXPECT_THAT(groups.members(3), ElementsAre(1, 3));
}

TEST(CommitGroups, PastTheMostNodesInARowShare) {
  const CommitGroups groups(nodes_of(5, 2), std::vector<bool>(10, true), 2);
  EXPECT_EQ(groups.count(), 2U);
  EXPECT_TRUE(groups.span_nodes());
  EXPECT_THAT(groups.members(0), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(groups.far_members(0), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(groups.far_members(1), ElementsAre(8, 9));
}

TEST(CommitGroups, ThousandsOfNodesHaveSlotsAndWordsInTheRoomThereIs) {
  for (const std::uint64_t nodes : {1U, 2U, 63U, 64U, 65U, 1000U, 40'000U}) {
    for (const std::uint64_t most : {1U, 2U, 64U, 100'000U}) {
      const Nodes of = nodes_of(nodes, 2);
      const CommitGroups groups(of, std::vector<bool>(of.size(), true), most);
      const std::uint64_t words = words_for_slots(of, most);
      EXPECT_EQ(groups.count(), std::min(nodes, most));
      EXPECT_EQ(groups.words_from(0, words).size(), words) << nodes << " nodes, " << most;
      std::set<std::uint64_t> durable;
      for (const DurableWord& client : durable_words(groups, of)) {
        ASSERT_TRUE(client.word);
        EXPECT_LT(*client.word, words);
        EXPECT_TRUE(durable.insert(*client.word).second) << "two clients have a word";
      }
    }
  }
}

TEST(CommitGroups, AloneEachRankHasTheWordOfItsNumber) {
  const CommitGroups groups = CommitGroups::alone({true, false, true});
  EXPECT_EQ(groups.slot_of(2), 2U);
  EXPECT_THAT(groups.words_from(3, 2), ElementsAre(3, kIdleSlot, 3));
  EXPECT_GE(words_for_slots(nodes_of(1, 3)), 3U);
  EXPECT_GE(words_for_slots(nodes_of(1, 300)), 300U);
}

TEST(DurableWords, AClientReadsTheSlotsOfItsWriters) {
  // Two nodes of which the system makes one client, and a client that writes nothing.
  const CommitGroups groups(nodes_of(3, 2), {true, true, true, false, false, false});
  const auto words = durable_words(groups, Nodes{0, 0, 0, 0, 4, 4});
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0].first_rank, 0);
  EXPECT_EQ(words[0].word, 0U);
  EXPECT_THAT(words[0].slots, ElementsAre(0, kSlotSpacing));
  EXPECT_EQ(words[1].first_rank, 4);
  EXPECT_EQ(words[1].word, std::nullopt);
}

TEST(DurableWords, TwoClientsOfOneNodeHaveTwoWords) {
  const CommitGroups groups(nodes_of(1, 2), {true, true});
  const auto words = durable_words(groups, Nodes{0, 1});
  EXPECT_EQ(words[0].word, 0U);
  EXPECT_EQ(words[1].word, 1U);
}

}  // namespace
}  // namespace weft::storage
