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
    if (step.act == Act::write) writes.emplace_back(step.bytes, step.times);
  }
  return writes;
}

TEST(MhmWork, WhatMakingAFileDoesNotWriteIsWritten) {
  // The call "make" writes a page.
  EXPECT_EQ(writes_of_files(4096), (std::vector{std::pair<std::uint64_t, double>{4096, 16 * 26}}));
  EXPECT_EQ(writes_of_files(4ULL << 20), (std::vector{std::pair<std::uint64_t, double>{109'005 - 4096, 16}}))
      << "one write, where printf gathers a whole block";
}

}  // namespace
}  // namespace weft::predict
