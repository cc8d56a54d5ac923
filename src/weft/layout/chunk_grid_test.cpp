#include "weft/layout/chunk_grid.hpp"

#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::layout {
namespace {

TEST(ChunkGrid, CountsAndBytesOfThePaperDataset) {
  const ChunkGrid grid({151, 3253316, 2}, {151, 434, 2}, 8);
  EXPECT_EQ(grid.counts(), (Shape{1, 7497, 1}));
  EXPECT_EQ(grid.chunks(), 7497U);
  EXPECT_EQ(grid.chunk_elements(), 151U * 434 * 2);
  EXPECT_EQ(grid.chunk_bytes(), 1048544U);
  EXPECT_DOUBLE_EQ(grid.waste(), 382.0 / 3253316.0);
}

TEST(ChunkGrid, NumbersChunksRowMajorAndBack) {
  const ChunkGrid grid({10, 7, 5}, {4, 7, 2}, 4);
  ASSERT_EQ(grid.counts(), (Shape{3, 1, 3}));
  EXPECT_EQ(grid.linear({0, 0, 2}), 2U);
  EXPECT_EQ(grid.linear({1, 0, 0}), 3U);
  EXPECT_EQ(grid.linear({2, 0, 1}), 7U);
  for (std::uint64_t number = 0; number < grid.chunks(); ++number) {
    EXPECT_EQ(grid.linear(grid.coordinates(number)), number);
  }
}

TEST(ChunkGrid, WasteIsTheStoredPaddingOverTheDataset) {
  EXPECT_DOUBLE_EQ(ChunkGrid({10}, {4}, 8).waste(), 0.2);
  EXPECT_DOUBLE_EQ(ChunkGrid({10, 10}, {4, 4}, 8).waste(), 0.44);
  EXPECT_DOUBLE_EQ(ChunkGrid({10, 10}, {5, 2}, 8).waste(), 0.0);
}

TEST(ChunkGrid, HandlesExtentsOf2To40) {
  const std::uint64_t large = 1ULL << 40;
  const ChunkGrid grid({151, large, 2}, {19, 3449, 2}, 8);
  EXPECT_EQ(grid.counts(), (Shape{8, (large + 3448) / 3449, 1}));
  EXPECT_EQ(grid.linear(grid.coordinates(grid.chunks() - 1)), grid.chunks() - 1);
}

TEST(ChunkGrid, AsStoredMayReachBeyondADatasetThatGrows) {
  const ChunkGrid grid = ChunkGrid::stored({20, 130}, {64, 64}, 8);
  EXPECT_EQ(grid.counts(), (Shape{1, 3}));
  EXPECT_EQ(grid.chunk_bytes(), 64U * 64 * 8);
  EXPECT_EQ(ChunkGrid::stored({1ULL << 33}, {1ULL << 33}, 8).chunks(), 1U) << "in one piece, of any size";
  EXPECT_THROW(ChunkGrid::stored({1ULL << 33}, {1ULL << 32}, 8), Error);
}

void expect_refused(const Shape& shape, const Shape& chunk, std::uint64_t element_bytes, const std::string& saying) {
  try {
    const ChunkGrid grid(shape, chunk, element_bytes);
    FAIL() << "accepted " << to_string(chunk) << " of " << to_string(shape);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find(saying), std::string::npos) << error.what();
  }
}

TEST(ChunkGrid, RefusesWhatHdf5CannotStore) {
  expect_refused({}, {}, 8, "scalar");
  expect_refused({10, 10}, {10}, 8, "has 1 axes where the dataset has 2");
  expect_refused({10, 0}, {1, 0}, 8, "an extent is 0");
  expect_refused({10, 10}, {1, 0}, 8, "an extent is 0");
  expect_refused({10, 10}, {1, 11}, 8, "beyond the dataset along axis 1");
  expect_refused({10}, {1}, 0, "0 bytes");
  expect_refused({1ULL << 30}, {1ULL << 29}, 8, "4 GiB");
  expect_refused({1ULL << 40, 1ULL << 40}, {1ULL << 40, 1ULL << 40}, 8, "4 GiB");
  expect_refused({1ULL << 40, 1ULL << 40}, {1, 1}, 8, "2^63 - 1 bytes");
  EXPECT_NO_THROW(ChunkGrid({1ULL << 32}, {(1ULL << 32) - 1}, 1));
}

TEST(ChunkGrid, APieceMayBeLargerThanAnyChunk) {
  const Shape large{1000, 3'253'316, 2};
  EXPECT_THROW(ChunkGrid(large, large, 8), Error);
  const ChunkGrid grid = ChunkGrid::contiguous(large, 8);
  EXPECT_EQ(grid.chunks(), 1U);
  EXPECT_EQ(grid.chunk_bytes(), 52'053'056'000U);
  EXPECT_EQ(grid.waste(), 0);
  EXPECT_THROW(ChunkGrid::contiguous({1ULL << 40, 1ULL << 30}, 8), Error);
}

}  // namespace
}  // namespace weft::layout
