#include "kernels/blast/blast_result.hpp"

#include <gtest/gtest.h>

#include "kernels/blast/zlib_block.hpp"

namespace weft::kernels::blast {
namespace {

std::string result(const ResultSpec& spec, std::uint64_t task) {
  std::string text;
  append_result(text, spec, task);
  return text;
}

TEST(BlastResult, IsAsLongAsWasSaidBeforehand) {
  for (const std::uint64_t mean : {kLeastMeanBytes, kLeastMeanBytes + 1, std::uint64_t{20'000}}) {
    std::uint64_t sum = 0;
    for (std::uint64_t task = 0; task < 300; ++task) {
      const ResultSpec spec{7, mean};
      ASSERT_EQ(result(spec, task).size(), result_bytes(spec, task));
      ASSERT_GE(result_bytes(spec, task), mean / 2);
      ASSERT_LE(result_bytes(spec, task), spec.most_bytes());
      sum += result_bytes(spec, task);
    }
    EXPECT_NEAR(static_cast<double>(sum) / 300, static_cast<double>(mean), 0.06 * static_cast<double>(mean));
  }
}

// Where a document has many hits and its task a long number, a hit's frame is longest.
TEST(BlastResult, KeepsItsLengthWithLongNumbers) {
  const ResultSpec spec{3, 60'000'000};
  EXPECT_EQ(result(spec, ~0ULL - 1).size(), result_bytes(spec, ~0ULL - 1));
}

TEST(BlastResult, DependsOnSeedAndTaskAlone) {
  const ResultSpec spec{1, 10'000};
  std::string text = "before";
  append_result(text, spec, 5);
  EXPECT_EQ(text, "before" + result(spec, 5));
  EXPECT_NE(result(spec, 5), result(spec, 6));
  EXPECT_NE(result(spec, 5), result({2, 10'000}, 5));
}

TEST(BlastResult, OpensAndClosesEveryHit) {
  const std::string text = result({1, 50'000}, 0);
  EXPECT_TRUE(text.starts_with("<?xml version=\"1.0\"?>\n<!DOCTYPE BlastOutput"));
  EXPECT_TRUE(text.ends_with("</BlastOutput>\n"));
  const auto count = [&](std::string_view word) {
    std::size_t times = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
    return times;
  };
  EXPECT_GT(count("<Hit>\n"), 15U);
  EXPECT_EQ(count("<Hit>\n"), count("</Hit>\n"));
}

// The paper's is about 7.5.
TEST(BlastResult, BecomesAboutSevenAndAHalfTimesShorter) {
  std::uint64_t compressed = 0;
  std::uint64_t plain = 0;
  for (std::uint64_t task = 0; task < 40; ++task) {
    const std::string text = result({}, task);
    plain += text.size();
    compressed += zlib_block(text, Codec::zlib).size();
  }
  const double ratio = static_cast<double>(plain) / static_cast<double>(compressed);
  EXPECT_GT(ratio, 6.5);
  EXPECT_LT(ratio, 8.5);
}

}  // namespace
}  // namespace weft::kernels::blast
