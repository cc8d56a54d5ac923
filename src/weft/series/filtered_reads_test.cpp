// How often the chunks of a compressed series are read and decoded: once a call, and once for calls side by side.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "weft/reading/series_reader.hpp"
#include "weft/reading/snapshot_sweep.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/storage/chunk_room.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kPlaces = 6000;
constexpr std::uint64_t kLength = 30;

double at_place(std::uint64_t step, std::uint64_t node) {
  return 1e4 * static_cast<double>(step) + static_cast<double>(node);
}

class FilteredReadsTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-filtered-reads-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  std::atomic<int> requests_ = 0;
  std::function<void()> meet_ = [] {};

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    SeriesSpec spec;
    spec.steps = kLength;
    FieldSpec field{.name = "V", .per_step = {kPlaces}, .owned = partition::Ownership::all({kPlaces})};
    field.layout.target_bytes = 64 << 10;
    field.filters = "shuffle+deflate:1";
    spec.fields = {field};
    SeriesWriter writer = SeriesWriter::create(std::make_shared<SelfCommunicator>(), path_, spec);
    std::vector<double> values(kPlaces);
    for (std::uint64_t step = 0; step < kLength; ++step) {
      for (std::uint64_t n = 0; n < kPlaces; ++n) values[n] = at_place(step, n);
      writer.put("V", values);
      writer.end_step(static_cast<double>(step));
    }
    writer.close();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  SeriesReader open(std::uint64_t budget_bytes) {
    ReadOptions options;
    options.access = layout::AccessCost{.latency_s = 1e-6, .bandwidth = 1e9};  // nothing is gained by larger reads
    options.budget_bytes = budget_bytes;
    options.on_request = [this](std::uint64_t) {
      ++requests_;
      meet_();
    };
    SeriesReader reader = SeriesReader::open(path_, options);
    const storage::ArrayEntry& array = reader.catalog().segments[0].fields[1];
    rows_ = static_cast<int>(ceil_div(kLength, array.chunk[0]));
    columns_ = static_cast<int>(ceil_div(kPlaces, array.chunk[1]));
    nodes_of_chunk_ = array.chunk[1];
    EXPECT_GT(rows_, 2);
    EXPECT_GT(columns_, 2);
    return reader;
  }

  int taken() { return requests_.exchange(0); }

  int rows_ = 0;
  int columns_ = 0;
  std::uint64_t nodes_of_chunk_ = 0;
};

// A run that goes on overwrites entries of the index, at any instant of somebody's opening.
TEST_F(FilteredReadsTest, ItOpensWhileItsIndexChanges) {
  const storage::SeriesCatalog catalog = open(8 << 20).catalog();
  const storage::ArrayEntry& array = catalog.segments[0].fields[1];
  const std::uint64_t index = catalog.segments[0].rooms.at(1).index;
  const storage::ChunkTree tree = storage::tree_of(array);
  const auto store = storage::open_store(path_, storage::OpenMode::write);
  const storage::IndexedChunk first = tree.entry_of(*store, index, 0);
  const storage::IndexedChunk second = tree.entry_of(*store, index, 1);
  std::atomic<bool> done = false;
  std::thread writing([&] {
    for (int turn = 0; !done; ++turn) {
      store->write_at(tree.entry_at(index, 1), storage::Bytes(tree.entry(1, turn % 2 == 0 ? first : second)));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 200; ++i) EXPECT_NO_THROW(SeriesReader::open(path_));
  done = true;
  writing.join();
}

TEST_F(FilteredReadsTest, ASweepDecodesEachChunkOnce) {
  const SeriesReader reader = open(8 << 20);
  SnapshotSweep sweep(reader, "V");
  std::vector<double> values(kPlaces);
  for (std::uint64_t step = 0; sweep.next(std::span(values)); ++step) {
    ASSERT_EQ(values[kPlaces - 1], at_place(step, kPlaces - 1));
  }
  EXPECT_EQ(taken(), rows_ * columns_);
}

TEST_F(FilteredReadsTest, TracesSideBySideDecodeTheirChunksOnce) {
  const SeriesReader reader = open(8 << 20);
  const auto expect_trace = [&](std::uint64_t node) {
    const Values<double> values = reader.trace<double>("V", node);
    for (std::uint64_t step = 0; step < kLength; ++step) ASSERT_EQ(values[step], at_place(step, node));
  };
  EXPECT_EQ(reader.predicted("V", reader.trace_box("V", 0)).requests, static_cast<std::uint64_t>(rows_));
  for (std::uint64_t node = 0; node < nodes_of_chunk_; node += 7) expect_trace(node);
  EXPECT_EQ(taken(), rows_);
  expect_trace(nodes_of_chunk_);
  EXPECT_EQ(taken(), rows_) << "the next column of chunks";
}

TEST_F(FilteredReadsTest, SeveralBoxesOfACallDecodeAChunkOnceWithoutKeepingAny) {
  const SeriesReader reader = open(0);
  std::vector<Box> boxes;
  for (std::uint64_t node = 3; node < kPlaces; node += 5) boxes.push_back(reader.trace_box("V", node));
  std::vector<double> values(boxes.size() * kLength);
  reader.read("V", boxes, std::as_writable_bytes(std::span(values)));
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    for (std::uint64_t step = 0; step < kLength; ++step)
      ASSERT_EQ(values[n * kLength + step], at_place(step, 3 + 5 * n));
  }
  EXPECT_EQ(taken(), rows_ * columns_);
  reader.trace<double>("V", 3);
  reader.trace<double>("V", 3);
  EXPECT_EQ(taken(), 2 * rows_) << "none was kept";
}

TEST_F(FilteredReadsTest, WhatWasKeptIsForgottenWhenTheSeriesGrew) {
  SeriesReader reader = open(8 << 20);
  EXPECT_EQ(reader.trace<double>("V", 5)[kLength - 1], at_place(kLength - 1, 5));
  AppendSpec more;
  more.from_step = kLength - 1;
  more.owned = {{"V", partition::Ownership::all({kPlaces})}};
  SeriesWriter writer = SeriesWriter::append(std::make_shared<SelfCommunicator>(), path_, more);
  writer.put("V", std::vector<double>(kPlaces, -1.0));
  writer.end_step(static_cast<double>(kLength));
  writer.close();
  reader.reload();
  EXPECT_EQ(reader.trace<double>("V", 5)[kLength - 1], -1.0);
}

// HDF5 would give what it has cached of a file that is open already.
TEST_F(FilteredReadsTest, AnAppendBesideAReaderOfTheSameProcessIsSeenByAll) {
  SeriesReader reader = open(0);
  EXPECT_EQ(reader.trace<double>("V", 5)[kLength - 1], at_place(kLength - 1, 5));
  AppendSpec more;
  more.owned = {{"V", partition::Ownership::all({kPlaces})}};
  SeriesWriter writer = SeriesWriter::append(std::make_shared<SelfCommunicator>(), path_, more);
  for (std::uint64_t step = kLength; step < kLength + 3; ++step) {
    writer.put("V", std::vector<double>(kPlaces, -static_cast<double>(step)));
    writer.end_step(static_cast<double>(step));
  }
  writer.flush();
  reader.reload();
  EXPECT_EQ(reader.committed(), kLength + 3);
  writer.close();
  reader.reload();
  SeriesReader later = SeriesReader::open(path_);
  for (SeriesReader* one : {&reader, &later}) {
    EXPECT_EQ(one->committed(), kLength + 3);
    EXPECT_EQ(one->steps(), kLength + 3);
    const Values<double> trace = one->trace<double>("V", 5);
    ASSERT_EQ(trace.size(), kLength + 3);
    EXPECT_EQ(trace[kLength - 1], at_place(kLength - 1, 5));
    EXPECT_EQ(trace[kLength + 2], -static_cast<double>(kLength + 2));
  }
}

TEST_F(FilteredReadsTest, TwoThreadsReadSideBySide) {
  const SeriesReader reader = open(0);
  // The first request of all waits for one of the other thread.
  std::mutex mutex;
  std::condition_variable both_came;
  int requests = 0;
  bool waits = false;
  bool met = false;
  meet_ = [&] {
    std::unique_lock lock(mutex);
    if (++requests == 1) {
      waits = true;
      both_came.wait_for(lock, std::chrono::seconds(10), [&] { return met; });
      waits = false;
    } else if (waits) {
      met = true;
      both_came.notify_all();
    }
  };
  std::array<Values<double>, 2> traces;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < traces.size(); ++t) {
      threads.emplace_back([&, t] { traces[t] = reader.trace<double>("V", t * nodes_of_chunk_); });
    }
  }
  EXPECT_TRUE(met) << "each request ended before another thread's began";
  for (std::size_t t = 0; t < traces.size(); ++t) {
    for (std::uint64_t step = 0; step < kLength; ++step) {
      ASSERT_EQ(traces[t][step], at_place(step, t * nodes_of_chunk_));
    }
  }
}

}  // namespace
}  // namespace weft
