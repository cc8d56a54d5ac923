#include "kernels/mhm/mhm_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/mhm/mhm_options.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::mhm {
namespace {

using testing::HasSubstr;

// The paper's Table I: ccross, sub-elements, files, MiB.
TEST(MhmShape, TableOne) {
  struct Row {
    std::uint64_t ccross;
    std::uint64_t sub_elements;
    std::uint64_t files;
    double mebibytes;
  };
  for (const Row& row :
       {Row{3, 64, 64, 1.7}, Row{3, 128, 64, 6.6}, Row{4, 32, 256, 1.8}, Row{4, 64, 256, 6.8}, Row{4, 128, 256, 26.6},
        Row{4, 1024, 256, 1668.9}, Row{5, 32, 1024, 7.1}, Row{5, 64, 1024, 27.2}, Row{5, 128, 1024, 106.4},
        Row{5, 512, 1024, 1673.8}, Row{6, 32, 4096, 28.5}, Row{6, 64, 4096, 108.9}, Row{6, 128, 4096, 425.8},
        Row{6, 256, 4096, 1683.5}, Row{7, 32, 16384, 113.9}, Row{7, 64, 16384, 435.7}, Row{7, 128, 16384, 1703.2},
        Row{8, 32, 65536, 455.8}, Row{8, 64, 65536, 1742.8}, Row{9, 32, 262144, 1823.2},
        // The paper prints 6815.7; four times the row of C = 7 is 6812.8.
        Row{8, 128, 65536, 6812.8}}) {
    const MhmShape shape{row.ccross, row.sub_elements, 3};
    EXPECT_EQ(shape.problems(), row.files);
    EXPECT_EQ(shape.values() % 3, 0U) << "three dimensions divide every case of the table";
    // To the one digit printed, which the paper rounds or cuts.
    EXPECT_NEAR(static_cast<double>(shape.problems() * shape.problem_bytes()) / (1 << 20), row.mebibytes, 0.1);
  }
}

TEST(MhmShape, TheExampleOfTheHeader) {
  const MhmShape shape{6, 64, 3};
  EXPECT_EQ(shape.values(), 2145U);
  EXPECT_EQ(shape.points(), 715U);
  EXPECT_EQ(shape.problem_bytes(), 27885U);
}

std::string refusal(const MhmOptions& options, const RunOptions& run = {}) {
  try {
    check_mhm(options, run);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(MhmOptions, DimensionsThatDoNotDivideNameThoseThatDo) {
  MhmOptions options;
  options.shape = {2, 64, 2};
  EXPECT_THAT(refusal(options), HasSubstr("2,145 values"));
  EXPECT_THAT(refusal(options), HasSubstr("give one of 1, 3, 5, 11, 13, 15, 33, 39, .."));
  options.shape = {2, 3, 3};  // 10 values
  EXPECT_THAT(refusal(options), HasSubstr("give one of 1, 2, 5, 10"));
  options.shape.dims = 10;
  EXPECT_EQ(refusal(options), "");
}

TEST(MhmOptions, RefusesWhatCannotBe) {
  const auto with = [](const MhmShape& shape) {
    MhmOptions options;
    options.shape = shape;
    return refusal(options);
  };
  EXPECT_THAT(with({0, 32, 3}), HasSubstr("--ccross 0"));
  EXPECT_THAT(with({99, 32, 3}), HasSubstr("--ccross 99"));
  EXPECT_THAT(with({4, 0, 3}), HasSubstr("--sub-elements 0"));
  EXPECT_THAT(with({4, ~0ULL, 3}), HasSubstr("--sub-elements"));
  EXPECT_THAT(with({30, 1ULL << 20, 1}), HasSubstr("2^63"));
  EXPECT_THAT(with({4, 32, 0}), HasSubstr("--dims 0"));
  MhmOptions options;
  options.buffer_bytes = 12;
  EXPECT_THAT(refusal(options), HasSubstr("--buffer 12"));
  options = {};
  options.threads = 0;
  EXPECT_THAT(refusal(options), HasSubstr("--threads 0"));
  options = {};
  options.strategy = MhmStrategy::shared_collective;
  options.buffer_bytes = 4ULL << 30;
  EXPECT_THAT(refusal(options), HasSubstr("MPI call"));
  options.strategy = MhmStrategy::files_buffered;
  EXPECT_EQ(refusal(options), "") << "no MPI call is made";
  options = {};
  RunOptions run;
  run.align_bytes = 1ULL << 62;
  EXPECT_THAT(refusal(options, run), HasSubstr("--align"));
  options.source = MhmSource::solve;
  options.shape = {2, 512, 3};
  EXPECT_THAT(refusal(options), HasSubstr("too fine"));
}

TEST(MhmOptions, PiecesAreWholeValues) {
  MhmOptions options;
  options.shape = {4, 64, 3};  // 27,885 bytes
  options.strategy = MhmStrategy::files_buffered;
  options.buffer_bytes = 10'000;
  EXPECT_EQ(piece_bytes(options, {}), 9997U) << "769 values";
  options.buffer_bytes = 1 << 20;
  EXPECT_EQ(piece_bytes(options, {}), 27885U);
  options.strategy = MhmStrategy::shared_collective;
  EXPECT_EQ(piece_bytes(options, {}), std::uint64_t{37} * 27885);
}

TEST(MhmOptions, RegionsAreAlignedToWhatIsSaid) {
  MhmOptions options;
  options.shape = {4, 64, 3};
  EXPECT_EQ(region_bytes(options, {}), 27885U);
  options.strategy = MhmStrategy::shared_aligned;
  EXPECT_EQ(region_bytes(options, {}), 28672U) << "seven pages";
  RunOptions run;
  run.hints["striping_unit"] = "65536";
  EXPECT_EQ(region_bytes(options, run), 65536U);
  run.align_bytes = 20'000;
  EXPECT_EQ(region_bytes(options, run), 40'000U);
}

}  // namespace
}  // namespace weft::kernels::mhm
