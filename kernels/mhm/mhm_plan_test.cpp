#include "kernels/mhm/mhm_plan.hpp"

#include <gtest/gtest.h>

#include "weft/partition/ownership.hpp"

namespace weft::kernels::mhm {
namespace {

constexpr std::uint64_t kText = 27885;  // of a problem with S = 64

MhmOptions with(MhmStrategy strategy, const MhmShape& shape) {
  MhmOptions options;
  options.strategy = strategy;
  options.shape = shape;
  return options;
}

// The paper's run at C = 6, S = 64, as the original makes it: 4,096 files, 8.8 million writes of 13 bytes.
TEST(MhmPlan, Files) {
  const KernelPlan plan = plan_mhm(with(MhmStrategy::files, {6, 64, 3}), {}, 16);
  EXPECT_EQ(plan.files, 4096U);
  EXPECT_EQ(plan.app.opens, 4096U);
  EXPECT_EQ(plan.app.closes, 4096U);
  EXPECT_EQ(plan.app.seeks, 0U);
  EXPECT_EQ(plan.app.writes(), 8'785'920U);
  EXPECT_EQ(plan.app.write_sizes.size(), 1U);
  EXPECT_EQ(plan.app.write_sizes.at(13), 8'785'920U);
  EXPECT_EQ(plan.file_bytes, 114'216'960U);
  EXPECT_EQ(plan.min_bytes, 256 * kText);
  EXPECT_EQ(plan.max_bytes, 256 * kText);
  EXPECT_EQ(plan.mpi, Calls{});
}

TEST(MhmPlan, BuffersMakeFewerWrites) {
  MhmOptions options = with(MhmStrategy::files_buffered, {6, 64, 3});
  for (const std::uint64_t bytes : {128U << 10, 512U << 10, 2U << 20}) {
    options.buffer_bytes = bytes;
    EXPECT_EQ(plan_mhm(options, {}, 16).app.writes(), 4096U) << "a file fits";
  }
  options.buffer_bytes = 10'000;  // 9,997 + 9,997 + 7,891
  const KernelPlan plan = plan_mhm(options, {}, 16);
  EXPECT_EQ(plan.app.write_sizes.at(9997), 8192U);
  EXPECT_EQ(plan.app.write_sizes.at(7891), 4096U);
}

TEST(MhmPlan, Shared) {
  const KernelPlan plan = plan_mhm(with(MhmStrategy::shared, {6, 64, 3}), {}, 16);
  EXPECT_EQ(plan.files, 1U);
  EXPECT_EQ(plan.app.opens, 16U);
  EXPECT_EQ(plan.app.write_sizes.at(13), 8'785'920U);
  EXPECT_EQ(plan.mpi, plan.app);
}

// 64 problems on 5 ranks: 13 to the first four, 12 to the last. The buffer holds 5: three calls of each rank.
TEST(MhmPlan, SharedCollective) {
  MhmOptions options = with(MhmStrategy::shared_collective, {3, 64, 3});
  options.buffer_bytes = 5 * kText + 100;
  const KernelPlan plan = plan_mhm(options, {}, 5);
  EXPECT_EQ(plan.app.opens, 5U);
  EXPECT_EQ(plan.app.write_sizes.at(5 * kText), 10U);
  EXPECT_EQ(plan.app.write_sizes.at(3 * kText), 4U);
  EXPECT_EQ(plan.app.write_sizes.at(2 * kText), 1U);
  EXPECT_EQ(plan.min_bytes, 12 * kText);
  // More ranks than problems: those without call too.
  const KernelPlan wide = plan_mhm(options, {}, 100);
  EXPECT_EQ(wide.app.write_sizes.at(0), 36U);
  EXPECT_EQ(wide.app.write_sizes.at(kText), 64U);
  EXPECT_EQ(wide.min_bytes, 0U);
}

TEST(MhmPlan, SharedAligned) {
  RunOptions run;
  run.align_bytes = 1 << 20;
  run.phases = 2;
  const KernelPlan plan = plan_mhm(with(MhmStrategy::shared_aligned, {3, 64, 3}), run, 5);
  EXPECT_EQ(plan.files, 2U);
  EXPECT_EQ(plan.app.write_sizes.at(1 << 20), 128U);
  EXPECT_EQ(plan.file_bytes, 128ULL << 20);
}

TEST(MhmPlan, Series) {
  RunOptions run;
  run.phases = 3;
  const KernelPlan plan = plan_mhm(with(MhmStrategy::series, {1, 1, 3}), run, 5);
  EXPECT_EQ(plan.files, 1U);
  EXPECT_EQ(plan.app.opens, 5U);
  EXPECT_EQ(plan.app.closes, 5U);
  EXPECT_EQ(plan.app.write_sizes.at(24), 12U) << "the fifth rank has no problem";
  EXPECT_EQ(plan.min_bytes, 0U);
}

// Counting two kinds of ranks is counting every rank.
TEST(MhmPlan, IsTheSumOverRanks) {
  for (std::uint64_t ranks = 1; ranks < 70; ranks += 3) {
    const KernelPlan plan = plan_mhm(with(MhmStrategy::files, {3, 4, 3}), {}, ranks);
    std::uint64_t bytes = 0;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      bytes += partition::even_block(64, static_cast<int>(rank), static_cast<int>(ranks)).count * 15 * 13;
    }
    EXPECT_EQ(plan.app.bytes(), bytes);
  }
}

}  // namespace
}  // namespace weft::kernels::mhm
