#include <gtest/gtest.h>

#include <map>

#include "predict/kernel_work.hpp"

namespace weft::predict {
namespace {

using kernels::ecg::EcgOptions;

// 151 steps of 43,400 nodes, a V and a phi_e each, and what the paper's code does afterwards.
EcgOptions heart(LayoutKind layout, std::uint64_t cache_bytes) {
  EcgOptions options;
  options.nodes = 43'400;
  options.steps = 151;
  options.layout.kind = layout;
  options.mpi.strategy = Strategy::per_step;
  options.afterwards = kernels::ecg::Afterwards{.cache_bytes = cache_bytes, .keep = true, .settings = {}};
  return options;
}

struct Reads {
  double requests = 0;
  std::uint64_t bytes = 0;  // of each
};

// Of one rank, by phase.
std::map<std::string, Reads> reads_of_a_rank(const EcgOptions& options, std::uint64_t ranks) {
  const Workload work = work_of(options, {.ranks = ranks});
  std::map<std::string, Reads> reads;
  for (const Step& step : work.afterwards.at(0).steps) {
    if (step.act == Act::read) reads[step.phase + (step.in_memory ? ", in memory" : "")] = {step.times, step.bytes};
  }
  return reads;
}

TEST(EcgAfterwards, ChunksThatFitIntoTheCacheAreReadOnce) {
  // Chunks of 151 x 434 x 2: a hundred of them.
  const auto reads = reads_of_a_rank(heart(LayoutKind::isotropic, 128ULL << 20), 2);
  EXPECT_EQ(reads.at("conversion").bytes, 151U * 434 * 16);
  EXPECT_DOUBLE_EQ(reads.at("conversion").requests, 51) << "50, and one that two ranks share";
  EXPECT_DOUBLE_EQ(reads.at("post_processing").requests, 51);
}

TEST(EcgAfterwards, ACacheOfFewChunksReadsThemForEveryStep) {
  const auto reads = reads_of_a_rank(heart(LayoutKind::isotropic, 2ULL << 20), 2);
  EXPECT_DOUBLE_EQ(reads.at("conversion").requests, 51);
  EXPECT_DOUBLE_EQ(reads.at("conversion, in memory").requests, 51 * 150) << "once from the store";
  EXPECT_DOUBLE_EQ(reads.at("post_processing").requests, 51) << "node after node, one chunk stays";
}

TEST(EcgAfterwards, AChunkLargerThanTheCacheIsReadRowByRow) {
  const auto reads = reads_of_a_rank(heart(LayoutKind::rows, 1ULL << 20), 2);
  EXPECT_EQ(reads.at("conversion").bytes, 21'700U * 16);
  EXPECT_DOUBLE_EQ(reads.at("conversion").requests, 151);
  EXPECT_DOUBLE_EQ(reads.at("post_processing").requests, 85.0 * 151) << "a step of the rank's nodes is 85 pages";
  EXPECT_DOUBLE_EQ(reads.at("post_processing, in memory").requests, 21'700.0 * 151);
  EXPECT_EQ(reads.at("post_processing, in memory").bytes, 8U) << "one value of a trace";
}

TEST(EcgAfterwards, NothingWhereNothingIsDone) {
  EcgOptions options = heart(LayoutKind::rows, 1ULL << 20);
  options.afterwards.reset();
  EXPECT_TRUE(work_of(options, {.ranks = 2}).afterwards.empty());
}

}  // namespace
}  // namespace weft::predict
