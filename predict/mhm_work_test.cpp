#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/kernel_work.hpp"

namespace weft::predict {
namespace {

// (bytes, times) of what one rank writes into files of its own: 16 files of 109,005 bytes.
std::vector<std::pair<std::uint64_t, double>> writes_of_files(std::uint64_t stdio_bytes) {
  kernels::mhm::MhmOptions options;
  options.strategy = kernels::mhm::MhmStrategy::files;
  options.shape = {.ccross = 2, .sub_elements = 128, .dims = 3};
  const Workload work = work_of(options, {}, {.ranks = 1, .stdio_bytes = stdio_bytes});
  std::vector<std::pair<std::uint64_t, double>> writes;
  for (const Step& step : work.groups.at(0).steps) {
    if (step.act != Act::write) continue;
    writes.emplace_back(step.bytes, step.times);
    EXPECT_EQ(step.made_bytes, writes.size() == 1 ? 4096U : 0U) << "the call \"make\" writes a page";
  }
  return writes;
}

TEST(MhmWork, FilesAreWrittenByTheBlockThatPrintfGathers) {
  using Writes = std::vector<std::pair<std::uint64_t, double>>;
  EXPECT_EQ(writes_of_files(4096), (Writes{{4096, 16}, {4096, 16 * 25}, {109'005 % 4096, 16}}));
  EXPECT_EQ(writes_of_files(4ULL << 20), (Writes{{109'005, 16}}));
}

}  // namespace
}  // namespace weft::predict
