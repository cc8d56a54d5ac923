#include "weft/layout/isotropic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "weft/layout/chunk_grid.hpp"
#include "weft/support/error.hpp"

namespace weft::layout {
namespace {

// Algorithm 1 of the paper as printed: the size goes up one by one until the chunk reaches the target or spans the
// dataset, and comes back by one where it went past.
Shape incremental(const Shape& shape, std::uint64_t element_bytes, std::uint64_t target_bytes) {
  Shape chunk(shape.size());
  std::uint64_t bytes = 0;
  bool spans = false;
  const auto calculate = [&](std::uint64_t size) {
    bytes = element_bytes;
    spans = true;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::uint64_t count = ceil_div(shape[axis], size);
      chunk[axis] = ceil_div(shape[axis], count);
      bytes *= chunk[axis];
      spans = spans && count == 1;
    }
  };
  std::uint64_t size = 0;
  while (bytes < target_bytes && !spans) calculate(++size);
  if (bytes > target_bytes) calculate(--size);
  return chunk;
}

// The chunk of the largest size that fits, all sizes tried.
Shape largest_that_fits(const Shape& shape, std::uint64_t element_bytes, std::uint64_t target_bytes) {
  Shape best;
  for (std::uint64_t size = 1; size <= *std::ranges::max_element(shape); ++size) {
    Shape chunk;
    for (const std::uint64_t extent : shape) chunk.push_back(ceil_div(extent, ceil_div(extent, size)));
    if (element_count(chunk) * element_bytes <= target_bytes) best = chunk;
  }
  return best;
}

TEST(Isotropic, ThePaperDataset) {
  const Shape shape{151, 3253316, 2};
  const Shape chunk = isotropic_chunk(shape, 8, 1 << 20);
  EXPECT_EQ(chunk, (Shape{151, 434, 2}));
  const ChunkGrid grid(shape, chunk, 8);
  EXPECT_EQ(grid.chunk_bytes(), 1048544U);
  EXPECT_EQ(grid.chunks(), 7497U);
}

TEST(Isotropic, EqualsThePaperAlgorithmOnRandomDatasets) {
  std::mt19937_64 engine{1};
  const auto random = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(engine);
  };
  for (int trial = 0; trial < 5000; ++trial) {
    Shape shape(random(1, 8));
    const std::uint64_t largest = random(1, shape.size() <= 3 ? 3000 : 20);
    for (std::uint64_t& extent : shape) extent = random(1, largest);
    const std::uint64_t element_bytes = random(1, 40);
    const std::uint64_t target_bytes = random(element_bytes, element_bytes + (1ULL << random(3, 22)));
    const Shape chunk = isotropic_chunk(shape, element_bytes, target_bytes);
    ASSERT_EQ(chunk, largest_that_fits(shape, element_bytes, target_bytes)) << to_string(shape);
    // As printed the algorithm also stops at the first size that hits the target exactly; the chunk is then as large.
    const Shape printed = incremental(shape, element_bytes, target_bytes);
    ASSERT_EQ(element_count(chunk), element_count(printed)) << to_string(shape);
    ASSERT_EQ(chunk, printed) << to_string(shape);
  }
}

TEST(Isotropic, IsTheLargestForExtentsOf2To40AtAnyRank) {
  for (std::size_t rank = 1; rank <= 8; ++rank) {
    const Shape shape(rank, 1ULL << 40);
    const Shape chunk = isotropic_chunk(shape, 8, 1 << 20);
    ASSERT_TRUE(std::ranges::all_of(chunk, [&](std::uint64_t extent) { return extent == chunk[0]; }));
    ASSERT_LE(element_count(chunk), 1U << 17);
    ASSERT_GT(element_count(Shape(rank, chunk[0] + 1)), 1U << 17);
  }
  EXPECT_EQ(isotropic_chunk({1ULL << 40}, 1, 1ULL << 40), (Shape{1ULL << 40}));
}

TEST(Isotropic, ADatasetBelowTheTargetIsOneChunk) {
  EXPECT_EQ(isotropic_chunk({10, 20, 3}, 8, 1 << 20), (Shape{10, 20, 3}));
  EXPECT_EQ(isotropic_chunk({10, 20, 3}, 8, 4800), (Shape{10, 20, 3}));
  EXPECT_NE(isotropic_chunk({10, 20, 3}, 8, 4799), (Shape{10, 20, 3}));
  EXPECT_EQ(isotropic_chunk({1}, 8, 8), (Shape{1}));
}

TEST(Isotropic, RefusesWhatCannotBeDone) {
  EXPECT_THROW(isotropic_chunk({10, 10}, 8, 7), Error);
  EXPECT_THROW(isotropic_chunk({10, 0}, 8, 1024), Error);
  EXPECT_THROW(isotropic_chunk({}, 8, 1024), Error);
  EXPECT_THROW(isotropic_chunk({10}, 0, 1024), Error);
  EXPECT_EQ(isotropic_chunk({10, 10}, 8, 8), (Shape{1, 1}));
}

}  // namespace
}  // namespace weft::layout
