#include "kernels/blast/blast_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/blast/node_file.hpp"
#include "kernels/blast/zlib_block.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::blast {
namespace {

using testing::HasSubstr;

BlastOptions small(BlastStrategy strategy) {
  BlastOptions options;
  options.strategy = strategy;
  options.tasks = 10;
  options.result_bytes = kLeastMeanBytes;
  return options;
}

TEST(FixedTasks, AreDealtInTurn) {
  const NodeTasks tasks = fixed_tasks(10, 2, 1, 4);  // the third phase: tasks 20 to 29
  EXPECT_EQ(tasks.count, 3U);
  EXPECT_EQ(tasks[0], 21U);
  EXPECT_EQ(tasks[2], 29U);
  EXPECT_EQ(fixed_tasks(10, 0, 2, 4).count, 2U);
  EXPECT_EQ(fixed_tasks(3, 0, 3, 8).count, 0U) << "more nodes than tasks";
  std::uint64_t all = 0;
  for (std::uint64_t node = 0; node < 7; ++node) all += fixed_tasks(200, 0, node, 7).count;
  EXPECT_EQ(all, 200U);
}

// Every result takes two writes and two seeks.
TEST(BlastPlan, Immediate) {
  const BlastOptions options = small(BlastStrategy::immediate);
  const KernelPlan plan = plan_blast(options, {}, 6);
  EXPECT_EQ(plan.files, 1U);
  EXPECT_EQ(plan.app.opens, 1U);
  EXPECT_EQ(plan.app.closes, 1U);
  EXPECT_EQ(plan.app.seeks, 20U);
  EXPECT_EQ(plan.app.writes(), 20U);
  EXPECT_EQ(plan.app.write_sizes.at(kHeaderBytes), 10U);
  EXPECT_EQ(plan.file_bytes, plan.app.bytes());
  EXPECT_EQ(plan.min_bytes, 0U) << "five ranks write nothing";
  EXPECT_EQ(plan.max_bytes, plan.file_bytes);
  std::uint64_t expected = 0;
  for (std::uint64_t task = 0; task < 10; ++task) {
    std::string text;
    append_result(text, {1, kLeastMeanBytes}, task);
    expected += kHeaderBytes + zlib_block(text, codec_of(options)).size();
  }
  EXPECT_EQ(plan.file_bytes, expected);
  EXPECT_TRUE(plan.sizes_known);
}

TEST(BlastPlan, TwoStageIsOneWriteAFile) {
  BlastOptions options = small(BlastStrategy::two_stage);
  options.ranks_per_node = 2;
  const KernelPlan plan = plan_blast(options, {}, 6);
  EXPECT_EQ(plan.files, 3U);
  EXPECT_EQ(plan.app.writes(), 3U);
  EXPECT_EQ(plan.app.seeks, 0U);
  EXPECT_EQ(plan.facts["blocks"], 3);
  RunOptions run;
  run.phases = 2;
  EXPECT_EQ(plan_blast(options, run, 6).app.writes(), 6U);
}

TEST(BlastPlan, BuffersThatFillMakeBlocksAndWrites) {
  BlastOptions options = small(BlastStrategy::two_stage);
  options.collect_bytes = 30'000;  // two to five results, of 4 to 12 KB
  options.write_bytes = 1;         // every block by itself
  const KernelPlan plan = plan_blast(options, {}, 1);
  const std::uint64_t blocks = plan.facts["blocks"].get<std::uint64_t>();
  EXPECT_GE(blocks, 3U);
  EXPECT_LE(blocks, 6U);
  EXPECT_EQ(plan.app.writes(), blocks);
  visit_blocks(options, {}, 1, [](const BlastBlock& block) { EXPECT_LE(block.text_bytes, 30'000U); });
  options.write_bytes = plan.file_bytes;
  EXPECT_EQ(plan_blast(options, {}, 1).app.writes(), 1U);
  options.write_bytes = plan.file_bytes - 1;
  EXPECT_EQ(plan_blast(options, {}, 1).app.writes(), 2U);
  options.collect_bytes = 1;
  EXPECT_EQ(plan_blast(options, {}, 1).facts["blocks"], 10) << "a result that is larger than the buffer is a block";
}

TEST(BlastPlan, WorkIsSharedOutAmongRanks) {
  const BlastOptions options = small(BlastStrategy::immediate);
  const std::vector<std::uint64_t> all = made_lengths(options, {}, 2, 0, 1);
  std::vector<std::uint64_t> sum(all.size(), 0);
  for (std::uint64_t part = 0; part < 3; ++part) {
    const std::vector<std::uint64_t> some = made_lengths(options, {}, 2, part, 3);
    for (std::size_t i = 0; i < some.size(); ++i) sum[i] += some[i];
  }
  EXPECT_EQ(sum, all);
}

// 24,576 cores on 2,048 nodes, each with about 307 MB of text (25.75 MB/s for 11.93 s): three million results of
// 200 KiB. Collecting takes every node's two or three thousand writes away but one.
TEST(BlastPlan, ThePapersRun) {
  BlastOptions options;
  options.tasks = 3'000'000;
  options.ranks_per_node = 12;
  const KernelPlan immediate = plan_blast(options, {}, 24576);
  EXPECT_EQ(immediate.files, 2048U);
  EXPECT_EQ(immediate.app.writes(), 6'000'000U);
  EXPECT_EQ(immediate.app.seeks, 6'000'000U);
  EXPECT_FALSE(immediate.sizes_known);
  options.strategy = BlastStrategy::two_stage;
  EXPECT_EQ(plan_blast(options, {}, 24576).app.writes(), 2048U);
}

TEST(BlastPlan, OnDemandPromisesNumbersOnly) {
  BlastOptions options = small(BlastStrategy::immediate);
  options.dealing = Dealing::on_demand;
  EXPECT_TRUE(plan_blast(options, {}, 4).sizes_known) << "one node has all tasks, whoever asks";
  options.ranks_per_node = 2;
  EXPECT_FALSE(plan_blast(options, {}, 4).sizes_known);
}

TEST(BlastPlan, MoreNodesThanTasks) {
  BlastOptions options = small(BlastStrategy::immediate);
  options.tasks = 2;
  options.ranks_per_node = 1;
  const KernelPlan plan = plan_blast(options, {}, 5);
  EXPECT_EQ(plan.files, 5U);
  EXPECT_EQ(plan.app.opens, 5U);
  EXPECT_EQ(plan.app.closes, 5U);
  EXPECT_EQ(plan.app.writes(), 4U);
}

std::string refusal(const BlastOptions& options, const RunOptions& run = {}) {
  try {
    check_blast(options, run);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(BlastPlan, RefusesWhatCannotBe) {
  BlastOptions options;
  EXPECT_EQ(refusal(options), "");
  options.tasks = 0;
  EXPECT_THAT(refusal(options), HasSubstr("--tasks 0"));
  options.tasks = ~0ULL;
  EXPECT_THAT(refusal(options), HasSubstr("10,000,000"));
  options = {};
  options.ranks_per_node = 0;
  EXPECT_THAT(refusal(options), HasSubstr("--ranks-per-node 0"));
  options = {};
  options.result_bytes = kLeastMeanBytes - 1;
  EXPECT_THAT(refusal(options), HasSubstr("--result-size 8191"));
  options.result_bytes = 3ULL << 30;
  EXPECT_THAT(refusal(options), HasSubstr("message"));
  options = {};
  options.strategy = BlastStrategy::two_stage;
  options.collect_bytes = 4090ULL << 20;
  EXPECT_EQ(refusal(options), "");
  options.collect_bytes = 4095ULL << 20;
  EXPECT_THAT(refusal(options), HasSubstr("4 GiB"));
  options.collect_bytes = ~0ULL;
  EXPECT_THAT(refusal(options), HasSubstr("4 GiB"));
  options = {};
  options.write_bytes = 0;
  EXPECT_THAT(refusal(options), HasSubstr("--write 0"));
  options = {};
  RunOptions run;
  run.phases = ~0ULL;
  EXPECT_THAT(refusal(options, run), HasSubstr("phases"));
}

TEST(Filling, IsEmptiedBeforeItOverflows) {
  Filling filling{10};
  EXPECT_TRUE(filling.takes(99)) << "alone";
  filling.used = 6;
  EXPECT_TRUE(filling.takes(4));
  EXPECT_FALSE(filling.takes(5));
  filling.used = 99;
  EXPECT_FALSE(filling.takes(0));
}

}  // namespace
}  // namespace weft::kernels::blast
