#include "weft/layout/read_cost.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "weft/support/error.hpp"

namespace weft::layout {
namespace {

// The rule of read_cost.hpp, element by element: what the closed form is compared with.
ReadCost enumerate(const ChunkGrid& grid, const Box& box, const AccessCost& access) {
  const std::size_t rank = grid.shape().size();
  std::set<std::uint64_t> wanted;  // byte offsets of the wanted elements, in file order
  std::set<std::uint64_t> chunks;
  Shape at = box.start;
  while (true) {
    Shape chunk(rank);
    std::uint64_t inside = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      chunk[axis] = at[axis] / grid.chunk()[axis];
      inside = inside * grid.chunk()[axis] + at[axis] % grid.chunk()[axis];
    }
    chunks.insert(grid.linear(chunk));
    wanted.insert(grid.linear(chunk) * grid.chunk_bytes() + inside * grid.element_bytes());
    std::size_t axis = rank;
    while (axis > 0 && ++at[axis - 1] == box.start[axis - 1] + box.count[axis - 1]) {
      at[axis - 1] = box.start[axis - 1];
      --axis;
    }
    if (axis == 0) break;
  }

  ReadCost cost;
  cost.asked_bytes = wanted.size() * grid.element_bytes();
  cost.chunks = chunks.size();
  cost.hdf5_bytes = chunks.size() * grid.chunk_bytes();
  std::uint64_t begin = *wanted.begin();
  std::uint64_t end = begin;
  const auto close = [&] {
    cost.bytes += end - begin;
    cost.requests += ceil_div(end - begin, access.max_request_bytes);
  };
  for (const std::uint64_t offset : wanted) {
    const bool same_chunk = end > 0 && offset / grid.chunk_bytes() == (end - 1) / grid.chunk_bytes();
    const bool joined = offset == end || (same_chunk && offset - end <= access.bridge_bytes());
    if (!joined) {
      close();
      begin = offset;
    }
    end = offset + grid.element_bytes();
  }
  close();
  return cost;
}

class Random {
 public:
  std::uint64_t from(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(engine_);
  }

 private:
  std::mt19937_64 engine_{20180815};
};

TEST(ReadCost, EqualsEnumerationOnRandomReads) {
  Random random;
  int across_chunks = 0;
  int bridged = 0;
  int split = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t rank = random.from(1, 4);
    const std::uint64_t largest = rank == 1 ? 60 : rank == 2 ? 20 : 8;
    Shape shape(rank);
    Shape chunk(rank);
    Box box{Shape(rank), Shape(rank)};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape[axis] = random.from(1, largest);
      chunk[axis] = random.from(1, shape[axis]);
      box.start[axis] = random.from(0, shape[axis] - 1);
      box.count[axis] = random.from(1, shape[axis] - box.start[axis]);
      if (random.from(0, 2) == 0) {  // whole axes are where rows of chunks touch
        box.start[axis] = 0;
        box.count[axis] = shape[axis];
      }
      if (random.from(0, 3) == 0) box.count[axis] = 1;
    }
    const std::uint64_t element_bytes = random.from(1, 8);
    const ChunkGrid grid(shape, chunk, element_bytes);
    AccessCost access;
    access.latency_s = 1;
    access.bandwidth = 0.5 + static_cast<double>(random.from(0, 2) == 0 ? 0 : random.from(0, 120));
    access.max_request_bytes = random.from(0, 1) == 0 ? random.from(1, 200) : 1000000;

    const ReadCost expected = enumerate(grid, box, access);
    const ReadCost cost = predict(grid, box, access);
    const auto describe = [&] {
      return to_string(shape) + " in " + to_string(chunk) + " from " + to_string(box.start) + " count " +
             to_string(box.count) + " bridge " + std::to_string(access.bridge_bytes());
    };
    ASSERT_EQ(cost.asked_bytes, expected.asked_bytes) << describe();
    ASSERT_EQ(cost.chunks, expected.chunks) << describe();
    ASSERT_EQ(cost.bytes, expected.bytes) << describe();
    ASSERT_EQ(cost.requests, expected.requests) << describe();
    ASSERT_EQ(cost.hdf5_bytes, expected.hdf5_bytes) << describe();
    across_chunks += cost.requests < cost.chunks ? 1 : 0;
    bridged += cost.bytes > cost.asked_bytes ? 1 : 0;
    split += cost.bytes > access.max_request_bytes ? 1 : 0;
  }
  // The trials reach every rule, not just the easy ones.
  EXPECT_GT(across_chunks, 200);
  EXPECT_GT(bridged, 200);
  EXPECT_GT(split, 200);
}

TEST(ReadCost, WorkedExample) {
  const ChunkGrid grid({151, 400000, 2}, {19, 3449, 2}, 8);
  const ReadCost trace = predict(grid, {{0, 200000, 0}, {151, 1, 2}}, AccessCost{});
  EXPECT_EQ(trace.asked_bytes, 2416U);
  EXPECT_EQ(trace.chunks, 8U);
  EXPECT_EQ(trace.requests, 8U);
  EXPECT_EQ(trace.bytes, 7U * 993328 + 17U * 55184 + 16);
  EXPECT_EQ(trace.hdf5_bytes, 8U * 1048496);
  const ReadCost snapshot = predict(grid, {{75, 0, 0}, {1, 400000, 2}}, AccessCost{});
  EXPECT_EQ(snapshot.requests, 116U);
  EXPECT_EQ(snapshot.bytes, 6400000U);
  EXPECT_DOUBLE_EQ(snapshot.amplification(), 1.0);
  EXPECT_NEAR(snapshot.seconds(AccessCost{}), 0.1224, 1e-12);
}

TEST(ReadCost, ChunksInARowAreOneRunCutByTheLargestRequest) {
  // 4 chunks of 1 MiB that follow each other: one run of 4 MiB.
  const ChunkGrid grid({4, 1 << 17}, {1, 1 << 17}, 8);
  AccessCost access;
  EXPECT_EQ(predict(grid, whole(grid.shape()), access).requests, 1U);
  access.max_request_bytes = 1 << 20;
  EXPECT_EQ(predict(grid, whole(grid.shape()), access).requests, 4U);
  access.max_request_bytes = (1 << 20) + 1;
  EXPECT_EQ(predict(grid, whole(grid.shape()), access).requests, 4U);
  access.max_request_bytes = 1 << 21;
  EXPECT_EQ(predict(grid, whole(grid.shape()), access).requests, 2U);
}

TEST(ReadCost, AGapBetweenChunksIsNeverBridged) {
  // Chunks of 5 along an axis of 9: the second is stored with one element of padding, then the next row begins.
  const ChunkGrid grid({2, 9}, {1, 5}, 8);
  const ReadCost cost = predict(grid, whole(grid.shape()), AccessCost{});
  EXPECT_EQ(cost.requests, 2U);
  EXPECT_EQ(cost.bytes, 2U * 9 * 8);
}

TEST(ReadCost, BridgesUpToTheLatencyAndNoFurther) {
  const ChunkGrid grid({2, 100}, {2, 100}, 8);
  const Box column{{0, 10}, {2, 1}};  // two elements, 99 * 8 = 792 bytes between them
  EXPECT_EQ(predict(grid, column, AccessCost{1.0, 792}).requests, 1U);
  EXPECT_EQ(predict(grid, column, AccessCost{1.0, 792}).bytes, 808U);
  EXPECT_EQ(predict(grid, column, AccessCost{1.0, 791}).requests, 2U);
  EXPECT_EQ(predict(grid, column, AccessCost{1.0, 791}).bytes, 16U);
}

TEST(ReadCost, ExtentsOf2To40AreCountedNotEnumerated) {
  const std::uint64_t large = 1ULL << 40;
  const ChunkGrid grid({151, large, 2}, {19, 4096, 2}, 8);
  const ReadCost snapshot = predict(grid, {{7, 0, 0}, {1, large, 2}}, AccessCost{});
  EXPECT_EQ(snapshot.chunks, large / 4096);
  EXPECT_EQ(snapshot.requests, large / 4096);
  EXPECT_EQ(snapshot.bytes, large * 16);
  const ReadCost all = predict(grid, whole(grid.shape()), AccessCost{});
  EXPECT_EQ(all.chunks, 8 * (large / 4096));
  EXPECT_EQ(all.bytes, 151 * large * 16);
  // The 7 full rows of chunks are one run; the last has one step of padding, so each of its chunks is a run.
  const std::uint64_t first_run = 7ULL * 19 * large * 16 + 18ULL * 4096 * 16;
  EXPECT_EQ(all.requests, ceil_div(first_run, 8ULL << 20) + large / 4096 - 1);
}

TEST(ReadCost, NothingAskedCostsNothing) {
  const ReadCost cost = predict(ChunkGrid({10, 10}, {5, 5}, 8), {{3, 10}, {4, 0}}, AccessCost{});
  EXPECT_EQ(cost.chunks + cost.requests + cost.bytes + cost.hdf5_bytes, 0U);
  EXPECT_DOUBLE_EQ(cost.amplification(), 1.0);
}

TEST(ReadCost, RefusesABoxOutsideTheDataset) {
  const ChunkGrid grid({10, 10}, {5, 5}, 8);
  EXPECT_THROW(predict(grid, {{0, 0}, {10, 11}}, AccessCost{}), Error);
  EXPECT_THROW(predict(grid, {{11, 0}, {0, 1}}, AccessCost{}), Error);
  EXPECT_THROW(predict(grid, {{1, ~0ULL}, {1, 2}}, AccessCost{}), Error);
  EXPECT_THROW(predict(grid, {{0}, {10}}, AccessCost{}), Error);
}

}  // namespace
}  // namespace weft::layout
