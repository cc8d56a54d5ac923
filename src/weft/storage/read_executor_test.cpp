// Plans carried out on a real file whose bytes are known, through the counting and the delaying store.
#include "weft/storage/read_executor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>

#include "weft/storage/measure_access_cost.hpp"
#include "weft/storage/store_cost.hpp"
#include "weft/storage/wrapped_stores.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

using layout::AccessCost;

constexpr std::uint64_t kBase = 4096;

class ReadExecutorTest : public testing::Test {
 protected:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("weft-read-executor-" + std::to_string(getpid()))).string();
  std::shared_ptr<RequestCounters> asked_ = std::make_shared<RequestCounters>();
  std::shared_ptr<SyscallCounters> reached_ = std::make_shared<SyscallCounters>();

  void TearDown() override { std::filesystem::remove(path_); }

  // A file of `elements` int64 behind kBase; element i holds i.
  void make_file(std::uint64_t elements) const {
    std::vector<std::int64_t> values(elements);
    std::iota(values.begin(), values.end(), 0);
    const auto store = open_store(path_, OpenMode::create);
    store->write_at(kBase, std::as_bytes(std::span(values)));
  }

  std::unique_ptr<ByteStore> open(double latency_s = 0) {
    auto store = open_store(path_, OpenMode::read, reached_);
    if (latency_s > 0) store = delaying_store(std::move(store), latency_s, 0);
    return counting_store(std::move(store), asked_);
  }

  static ArrayEntry array_of(const Shape& shape, const Shape& chunk) {
    return {"/V", DataType::int64, shape, chunk, ChunkAddresses::in_a_row(kBase, element_count(chunk) * 8), {}};
  }

  static std::uint64_t stored_elements(const Shape& shape, const Shape& chunk) {
    std::uint64_t elements = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      elements *= ceil_div(shape[axis], chunk[axis]) * chunk[axis];
    }
    return elements;
  }

  // Which element of the file belongs to element `n` of the box.
  static std::int64_t expected(const ArrayEntry& array, const Box& box, std::uint64_t n) {
    std::uint64_t chunk = 0, inside = 0, chunk_scale = 1, inside_scale = 1;
    for (std::size_t axis = array.shape.size(); axis-- > 0;) {
      const std::uint64_t at = box.start[axis] + n % box.count[axis];
      n /= box.count[axis];
      chunk += at / array.chunk[axis] * chunk_scale;
      chunk_scale *= ceil_div(array.shape[axis], array.chunk[axis]);
      inside += at % array.chunk[axis] * inside_scale;
      inside_scale *= array.chunk[axis];
    }
    return static_cast<std::int64_t>(chunk * element_count(array.chunk) + inside);
  }

  // Reads `box` and expects every value, and as many requests and bytes as planned, at the store and at the system.
  void expect_read(const ArrayEntry& array, const Box& box, const AccessCost& cost, int threads, double latency_s = 0) {
    const ReadPlan plan = plan_read(array, box, cost);
    const auto store = open(latency_s);
    const std::uint64_t asked = asked_->reads, reached = reached_->reads;
    const std::uint64_t asked_bytes = asked_->bytes_read, reached_bytes = reached_->bytes_read;
    std::vector<std::int64_t> values(element_count(box.count), -1);
    execute_read(plan, *store, cost, std::as_writable_bytes(std::span(values)), threads);
    for (std::size_t n = 0; n < values.size(); ++n) ASSERT_EQ(values[n], expected(array, box, n)) << "element " << n;
    EXPECT_EQ(asked_->reads - asked, plan.requests.size());
    EXPECT_EQ(reached_->reads - reached, plan.requests.size());
    EXPECT_EQ(asked_->bytes_read - asked_bytes, plan.bytes());
    EXPECT_EQ(reached_->bytes_read - reached_bytes, plan.bytes());
  }
};

TEST_F(ReadExecutorTest, DeliversRandomBoxesWithAnyThreads) {
  const Shape shape{23, 500, 2};
  std::mt19937 random(3);
  const auto draw = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 200; ++trial) {
    Shape chunk;
    Box box;
    for (const std::uint64_t extent : shape) {
      chunk.push_back(draw(1, extent));
      box.start.push_back(draw(0, extent - 1));
      box.count.push_back(draw(1, extent - box.start.back()));
    }
    if (trial % 10 == 0) make_file(std::uint64_t{500} * 23 * 8 * 8);
    ASSERT_LE(stored_elements(shape, chunk), 500U * 23 * 8 * 8);
    // A latency of 1 s makes threads look worthwhile; the bandwidth decides how far gaps are bridged.
    const AccessCost cost{1.0, static_cast<double>(draw(0, 5000)), draw(100, 50000)};
    SCOPED_TRACE("chunk " + to_string(chunk) + " box " + to_string(box.start) + " + " + to_string(box.count));
    expect_read(array_of(shape, chunk), box, cost, static_cast<int>(trial % 4 + 1));
    if (HasFailure()) break;
  }
}

TEST_F(ReadExecutorTest, ManySmallRowsAreStillOneSystemCall) {
  make_file(std::uint64_t{100} * 3000 * 2);
  // One component of every node: 3,000 rows of 8 bytes, 8 apart, are more than one preadv could scatter.
  expect_read(array_of({10, 3000, 2}, {10, 3000, 2}), {{2, 0, 1}, {1, 3000, 1}}, AccessCost{}, 1);
  // 1,000 rows and their gaps: above IOV_MAX too.
  expect_read(array_of({1000, 300}, {1000, 300}), {{0, 5}, {1000, 1}}, AccessCost{}, 1);
}

TEST_F(ReadExecutorTest, RequestsOfADistantStoreOverlap) {
  make_file(std::uint64_t{64} * 1000);
  const ArrayEntry array = array_of({64, 1000}, {1, 1000});
  const Box column{{0, 10}, {64, 1}};
  const auto start = std::chrono::steady_clock::now();
  expect_read(array, column, AccessCost{}, 8, 10e-3);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(seconds, 64 * 10e-3 / 8);
  EXPECT_LT(seconds, 64 * 10e-3 / 2) << "one after another they take 0.64 s";
}

TEST_F(ReadExecutorTest, ThreadsOnlyWhereTheyPay) {
  const ArrayEntry array = array_of({151, 400000, 2}, {19, 3449, 2});
  const Box trace{{0, 12345, 0}, {151, 1, 2}};
  const AccessCost near{1e-6, 5e9};
  EXPECT_EQ(worthwhile_threads(plan_read(array, trace, near), near, 8), 1);  // 151 requests, 0.15 ms in all
  EXPECT_EQ(worthwhile_threads(plan_read(array, trace, AccessCost{}), AccessCost{}, 8), 8);  // 8 requests of 2 ms
  EXPECT_EQ(worthwhile_threads(plan_read(array, trace, AccessCost{}), AccessCost{}, 3), 3);
  EXPECT_EQ(worthwhile_threads(ReadPlan{}, AccessCost{}, 8), 1);
}

TEST_F(ReadExecutorTest, ATruncatedFileIsOneClearErrorFromAnyThread) {
  make_file(10000);
  std::filesystem::resize_file(path_, kBase + 70000);
  const ArrayEntry array = array_of({10, 1000}, {1, 1000});
  const Box column{{0, 0}, {10, 1}};
  const ReadPlan plan = plan_read(array, column, AccessCost{});
  std::vector<std::byte> values(80);
  for (const int threads : {1, 4}) {
    const auto store = open();
    try {
      execute_read(plan, *store, AccessCost{}, values, threads);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_NE(std::string(error.what()).find("the file is truncated"), std::string::npos) << error.what();
    }
  }
}

TEST_F(ReadExecutorTest, RefusesMemoryOfAnotherSize) {
  make_file(100);
  const auto store = open();
  std::vector<std::byte> values(79);
  EXPECT_THROW(execute_read(plan_read(array_of({10}, {10}), whole({10}), AccessCost{}), *store, AccessCost{}, values),
               Error);
}

TEST_F(ReadExecutorTest, MeasuringIsCheapAndSeesADelay) {
  make_file(1 << 20);
  auto slow = open(5e-3);
  const AccessCost measured = measure(*slow);
  EXPECT_LE(asked_->reads, 10U);
  EXPECT_LE(asked_->bytes_read, (4U << 20));
  EXPECT_GE(measured.latency_s, 5e-3);
  EXPECT_LT(measured.latency_s, 50e-3);
  const AccessCost near = measure(*open());
  EXPECT_LT(near.latency_s, 1e-3);
  EXPECT_GT(near.bandwidth, 1e6);
}

TEST_F(ReadExecutorTest, AFileSystemIsMeasuredOnce) {
  make_file(1 << 20);
  const std::shared_ptr<StoreCost> first = cost_of_file_system(*open());
  const std::uint64_t reads = asked_->reads;
  EXPECT_EQ(cost_of_file_system(*open()), first);
  EXPECT_EQ(asked_->reads, reads);
}

TEST_F(ReadExecutorTest, AnEmptyOrTinyFileCanBeMeasured) {
  make_file(1);
  EXPECT_GT(measure(*open()).latency_s, 0);
  std::filesystem::resize_file(path_, 0);
  const std::uint64_t reads = asked_->reads;
  EXPECT_EQ(measure(*open()).latency_s, AccessCost{}.latency_s);
  EXPECT_EQ(asked_->reads, reads);
}

}  // namespace
}  // namespace weft::storage
