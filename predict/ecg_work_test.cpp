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

// Requests of a rank by their bytes.
std::map<std::uint64_t, double> writes_of(const RankGroup& group) {
  std::map<std::uint64_t, double> writes;
  for (const Step& step : group.steps) {
    if (step.act == Act::write) writes[step.bytes] += step.times;
  }
  return writes;
}

double bytes_of(const Workload& work) {
  double bytes = 0;
  for (const RankGroup& group : work.groups) {
    for (const auto& [size, times] : writes_of(group)) {
      bytes += static_cast<double>(group.ranks) * static_cast<double>(size) * times;
    }
  }
  return bytes;
}

TEST(EcgCached, TheStepsOfAChunkLieTogetherIfItIsWhollyOfOneRank) {
  EcgOptions options;
  options.nodes = 2012;
  options.steps = 151;
  options.mesh = false;
  options.layout.kind = LayoutKind::isotropic;  // chunks of 151 x 403 x 2
  options.mpi.strategy = Strategy::cached;
  const Workload two = work_of(options, {.ranks = 2});
  ASSERT_EQ(two.groups.size(), 2U);
  using Writes = std::map<std::uint64_t, double>;
  EXPECT_EQ(writes_of(two.groups[0]), (Writes{{151 * 403 * 16, 2}, {200 * 16, 151}})) << "1006 nodes are two and 200";
  EXPECT_EQ(writes_of(two.groups[1]), (Writes{{203 * 16, 151}, {151 * 403 * 16, 1}, {400 * 16, 151}}))
      << "the rest of that one; and the last chunk has three places too many";
  EXPECT_DOUBLE_EQ(bytes_of(two), 2012 * 151 * 16);
}

TEST(EcgCached, AllBytesAreWrittenOnAnyNumberOfRanks) {
  EcgOptions options;
  options.mesh = false;
  constexpr std::uint64_t kNodes = 9366;
  options.nodes = kNodes;
  options.mpi.strategy = Strategy::cached;
  for (const LayoutKind layout : {LayoutKind::isotropic, LayoutKind::rows}) {
    options.layout.kind = layout;
    for (const std::uint64_t steps : {1U, 60U, 151U}) {
      options.steps = steps;
      for (const std::uint64_t ranks : {1U, 2U, 3U}) {
        const auto bytes = static_cast<double>(kNodes * steps * 16);
        EXPECT_NEAR(bytes_of(work_of(options, {.ranks = ranks})), bytes, 1) << steps << " steps, " << ranks << " ranks";
      }
    }
  }
}

TEST(EcgAfterwards, NothingWhereNothingIsDone) {
  EcgOptions options = heart(LayoutKind::rows, 1ULL << 20);
  options.afterwards.reset();
  EXPECT_TRUE(work_of(options, {.ranks = 2}).afterwards.empty());
}

}  // namespace
}  // namespace weft::predict
