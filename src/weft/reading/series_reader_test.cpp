// Weft files made by create_series_file and filled by positioned writes at the addresses of the catalog, element by
// element.
#include "weft/reading/series_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "weft/reading/snapshot_sweep.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/wrapped_stores.hpp"
#include "weft/support/error.hpp"

namespace weft {
namespace {

using storage::ArrayEntry;

using storage::FilePlan;
using storage::SeriesCatalog;
using storage::Support;

double value_of(std::uint64_t step, std::uint64_t node, std::uint64_t component) {
  return static_cast<double>(1000000 * step + 10 * node + component);
}

class SeriesReaderTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-series-reader-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  std::shared_ptr<storage::RequestCounters> asked_ = std::make_shared<storage::RequestCounters>();

  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static FilePlan file_plan(const Shape& shape, const Shape& chunk) {
    FilePlan plan;
    plan.fields.push_back(
        {{"V", DataType::float64, {shape.begin() + 1, shape.end()}, Support::nodes, "mV", ""}, chunk, {}});
    plan.fields.push_back({{"beat", DataType::int32, {}, Support::global, "", ""}, {shape[0]}, {}});
    plan.segment_steps = shape[0];
    return plan;
  }

  template <typename T>
  static void put(storage::ByteStore& store, std::uint64_t address, T value) {
    store.write_at(address, std::as_bytes(std::span(&value, 1)));
  }

  // Writes steps [from, to) of time, V and beat, and commits them.
  static void fill(const SeriesCatalog& catalog, std::uint64_t from, std::uint64_t to) {
    const auto store = storage::open_store(catalog.path, storage::OpenMode::write);
    for (const storage::SegmentEntry& segment : catalog.segments) {
      const ArrayEntry& v = segment.fields[1];
      const std::uint64_t node_chunks = ceil_div(v.shape[1], v.chunk[1]);
      for (std::uint64_t step = from; step < to; ++step) {
        if (step < segment.first_step || step >= segment.first_step + segment.steps) continue;
        const std::uint64_t s = step - segment.first_step;
        const auto at = [&](const ArrayEntry& array) {
          return array.addresses.at(s / array.chunk[0]) + s % array.chunk[0] * size_of(array.type);
        };
        put(*store, at(segment.fields[0]), static_cast<double>(step) * 0.25);
        put(*store, at(segment.fields[2]), static_cast<std::int32_t>(step * 3));
        for (std::uint64_t node = 0; node < v.shape[1]; ++node) {
          for (std::uint64_t c = 0; c < v.shape[2]; ++c) {
            const std::uint64_t chunk = s / v.chunk[0] * node_chunks + node / v.chunk[1];
            const std::uint64_t inside = (s % v.chunk[0] * v.chunk[1] + node % v.chunk[1]) * v.shape[2] + c;
            put(*store, v.addresses.at(chunk) + 8 * inside, value_of(step, node, c));
          }
        }
      }
    }
    storage::raise_slot(*store, catalog, 0, to);
  }

  SeriesCatalog make(const Shape& shape, const Shape& chunk, std::uint64_t committed) const {
    SeriesCatalog catalog = create_series_file(path_, file_plan(shape, chunk));
    fill(catalog, 0, committed);
    return catalog;
  }

  // Counts what a reader asks for, on a store of given cost, delayed where asked.
  ReadOptions counted(const layout::AccessCost& access, double delay_s = 0) const {
    ReadOptions options;
    options.access = access;
    options.wrap = [counters = asked_, delay_s](std::unique_ptr<storage::ByteStore> inner) {
      if (delay_s > 0) inner = storage::delaying_store(std::move(inner), delay_s, 0);
      return storage::counting_store(std::move(inner), counters);
    };
    return options;
  }

  static std::string message_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  static void expect_box(const SeriesReader& reader, const Box& box) {
    const Values<double> values = reader.read<double>("V", box);
    ASSERT_EQ(values.size(), element_count(box.count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t c = i % box.count[2], node = i / box.count[2] % box.count[1];
      const std::uint64_t step = i / box.count[2] / box.count[1];
      ASSERT_EQ(values[i], value_of(box.start[0] + step, box.start[1] + node, box.start[2] + c)) << "element " << i;
    }
  }
};

TEST_F(SeriesReaderTest, SnapshotsTracesBlocksAndBoxes) {
  make({20, 50, 2}, {6, 7, 2}, 20);
  const SeriesReader reader = SeriesReader::open(path_);
  EXPECT_EQ(reader.steps(), 20U);
  EXPECT_EQ(reader.committed(), 20U);
  ASSERT_EQ(reader.fields().size(), 2U);
  EXPECT_EQ(reader.fields()[0].name, "V");
  for (const std::uint64_t step : {0U, 6U, 19U}) expect_box(reader, reader.snapshot_box("V", step));
  for (const std::uint64_t node : {0U, 20U, 49U}) expect_box(reader, reader.trace_box("V", node));
  expect_box(reader, reader.block_box("V", 13, 20));
  expect_box(reader, reader.block_box("V", 13, 20, 5, 9));
  expect_box(reader, {{3, 5, 1}, {14, 40, 1}});
  EXPECT_EQ(reader.times().at(19), 19 * 0.25);
  EXPECT_EQ(reader.trace<std::int32_t>("beat", 0).at(7), 21);
  EXPECT_EQ(reader.snapshot<std::int32_t>("beat", 7), Values<std::int32_t>{21});
}

TEST_F(SeriesReaderTest, BoxesAcrossSegments) {
  SeriesCatalog catalog = make({5, 12, 2}, {2, 5, 2}, 5);
  catalog = add_room(catalog, 10);
  catalog = add_room(catalog, 20);
  fill(catalog, 5, 30);
  const SeriesReader reader = SeriesReader::open(path_);
  EXPECT_EQ(reader.steps(), 35U);
  EXPECT_EQ(reader.committed(), 30U);
  expect_box(reader, reader.trace_box("V", 11));
  expect_box(reader, reader.block_box("V", 2, 7, 4, 20));
  for (const std::uint64_t step : {4U, 5U, 14U, 15U, 29U}) expect_box(reader, reader.snapshot_box("V", step));
  EXPECT_EQ(reader.times().at(29), 29 * 0.25);
  const layout::ReadCost cost = reader.predicted("V", reader.trace_box("V", 3));
  const storage::ReadPlan plan = reader.plan("V", reader.trace_box("V", 3));
  EXPECT_EQ(cost.requests, plan.requests.size());
  EXPECT_EQ(cost.bytes, plan.bytes());
}

TEST_F(SeriesReaderTest, UncommittedStepsAreRefusedUntilReload) {
  const SeriesCatalog catalog = make({20, 10, 2}, {4, 5, 2}, 8);
  SeriesReader reader = SeriesReader::open(path_);
  EXPECT_EQ(reader.committed(), 8U);
  expect_box(reader, reader.snapshot_box("V", 7));
  EXPECT_EQ(reader.trace<double>("V", 3).size(), 16U);
  EXPECT_EQ(message_of([&] { reader.snapshot<double>("V", 8); }),
            path_ + ": field 'V' was asked for step 8, but 8 of 20 steps are committed; ask for steps 0 to 7");
  EXPECT_NE(message_of([&] { reader.block<double>("V", 0, 5, 0, 9); }).find("8 of 20 steps"), std::string::npos);
  fill(catalog, 8, 12);
  EXPECT_THROW(reader.snapshot<double>("V", 8), Error);
  reader.reload();
  EXPECT_EQ(reader.committed(), 12U);
  expect_box(reader, reader.trace_box("V", 3));
}

TEST_F(SeriesReaderTest, ReloadSeesSegmentsAddedSince) {
  const SeriesCatalog catalog = make({5, 12, 2}, {2, 5, 2}, 5);
  SeriesReader reader = SeriesReader::open(path_);
  fill(add_room(catalog, 10), 5, 9);
  reader.reload();
  EXPECT_EQ(reader.committed(), 9U);
  EXPECT_EQ(reader.steps(), 15U);
  expect_box(reader, reader.trace_box("V", 0));
}

TEST_F(SeriesReaderTest, AFileWithNothingCommittedOpens) {
  make({20, 10, 2}, {4, 5, 2}, 0);
  const SeriesReader reader = SeriesReader::open(path_);
  EXPECT_EQ(reader.committed(), 0U);
  EXPECT_TRUE(reader.times().empty());
  EXPECT_NE(message_of([&] { reader.snapshot<double>("V", 0); }).find("wait until a step is written"),
            std::string::npos);
}

TEST_F(SeriesReaderTest, MistakesGetOneLineWithARemedy) {
  make({6, 10, 2}, {4, 5, 2}, 6);
  const SeriesReader reader = SeriesReader::open(path_);
  EXPECT_EQ(message_of([&] { reader.trace<double>("W", 0); }), path_ + ": has no field 'W'; its fields are: V, beat");
  EXPECT_EQ(message_of([&] { reader.trace<float>("V", 0); }),
            path_ + ": field 'V' holds float64 and was asked for as float32; read it as float64");
  EXPECT_EQ(message_of([&] { reader.trace<double>("V", 10); }),
            path_ + ": field 'V' has no node 10; its nodes are 0 to 9");
  EXPECT_NE(message_of([&] {
              reader.read<double>("V", {{0, 0, 1}, {1, 1, 2}});
            }).find("along axis 2"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              reader.read<double>("V", {{0, 0}, {1, 1}});
            }).find("has 3 axes, the box has 2"),
            std::string::npos);
  EXPECT_NE(message_of([&] { SeriesReader::open(path_ + ".not"); }).find(path_ + ".not"), std::string::npos);
  std::vector<double> few(3);
  EXPECT_THROW(reader.read("V", reader.snapshot_box("V", 0), std::span(few)), Error);
  ReadOptions broken;
  broken.access = layout::AccessCost{0, 0};
  EXPECT_THROW(SeriesReader::open(path_, broken), Error);
}

TEST_F(SeriesReaderTest, ATruncatedFileIsAnErrorAndWhatPrecedesStaysReadable) {
  const SeriesCatalog catalog = make({40, 1000, 2}, {4, 100, 2}, 40);
  const SeriesReader reader = SeriesReader::open(path_);
  const ArrayEntry& v = catalog.segments[0].fields[1];
  std::filesystem::resize_file(path_, v.addresses.at(50));
  expect_box(reader, reader.snapshot_box("V", 3));
  EXPECT_NE(message_of([&] { reader.trace<double>("V", 7); }).find("truncated"), std::string::npos);
}

TEST_F(SeriesReaderTest, EqualsPredictionOnTheStoreItselfAtThePapersSmallSize) {
  // Sparse: what is not written reads as zeros, and only requests and bytes are looked at.
  SeriesCatalog catalog = create_series_file(path_, file_plan({151, 400000, 2}, {19, 3449, 2}));
  const auto file = storage::open_store(path_, storage::OpenMode::write);
  storage::raise_slot(*file, catalog, 0, 151);
  const SeriesReader reader = SeriesReader::open(path_, counted(layout::AccessCost{}, 1e-3));
  const auto read = [&](const Box& box) {
    const std::uint64_t requests = asked_->reads, bytes = asked_->bytes_read;
    reader.read<double>("V", box);
    const layout::ReadCost cost = reader.predicted("V", box);
    EXPECT_EQ(asked_->reads - requests, cost.requests);
    EXPECT_EQ(asked_->bytes_read - bytes, cost.bytes);
    return cost;
  };
  const layout::ReadCost trace = read(reader.trace_box("V", 12345));
  EXPECT_LE(trace.requests, 12U);
  EXPECT_LE(trace.bytes, 12U << 20);
  const layout::ReadCost snapshot = read(reader.snapshot_box("V", 77));
  EXPECT_LE(snapshot.requests, 150U);
  EXPECT_LE(snapshot.bytes, 2U * 6400000);
}

TEST_F(SeriesReaderTest, ASweepReadsEachByteOnceWithinItsBudget) {
  make({23, 50, 2}, {6, 7, 2}, 23);
  constexpr std::uint64_t step_bytes = std::uint64_t{50} * 2 * 8;
  for (const std::uint64_t budget : {std::uint64_t{1} << 20, 4 * step_bytes, std::uint64_t{1}}) {
    ReadOptions options = counted(layout::AccessCost{});
    options.budget_bytes = budget;
    const SeriesReader reader = SeriesReader::open(path_, options);
    const std::uint64_t requests = asked_->reads, bytes = asked_->bytes_read;
    SnapshotSweep sweep(reader, "V", 2, 23);
    std::vector<double> values(sweep.elements());
    for (std::uint64_t step = 2; step < 23; ++step) {
      EXPECT_EQ(sweep.next_step(), step);
      ASSERT_TRUE(sweep.next(std::span(values)));
      for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], value_of(step, i / 2, i % 2));
    }
    EXPECT_FALSE(sweep.next(std::span(values)));
    EXPECT_LE(sweep.most_steps_at_once() * step_bytes, std::max(budget, step_bytes));
    // The last column of chunks is 1 node of 7 wide; bridging the others' place is the only thing read beyond.
    EXPECT_LE(asked_->bytes_read - bytes, 21 * step_bytes + std::uint64_t{21} * 6 * 16);
    EXPECT_GE(asked_->bytes_read - bytes, 21 * step_bytes);
    // 8 columns of chunks: one request each for a window of whole chunks, of halves, of single steps.
    const std::uint64_t windows = budget > 4 * step_bytes ? 4 : budget == 1 ? 21 : 8;
    EXPECT_LE(asked_->reads - requests, windows * 8);
  }
}

TEST_F(SeriesReaderTest, ASweepAcrossSegments) {
  SeriesCatalog catalog = make({5, 12, 2}, {2, 5, 2}, 5);
  catalog = add_room(catalog, 10);
  fill(catalog, 5, 15);
  const SeriesReader reader = SeriesReader::open(path_, counted(layout::AccessCost{}));
  SnapshotSweep sweep(reader, "V");
  std::vector<double> values(sweep.elements());
  std::uint64_t steps = 0;
  for (; sweep.next(std::span(values)); ++steps) ASSERT_EQ(values.back(), value_of(steps, 11, 1));
  EXPECT_EQ(steps, 15U);
  std::vector<float> floats(sweep.elements());
  EXPECT_THROW(sweep.next(std::span(floats)), Error);
  EXPECT_THROW(SnapshotSweep(reader, "V", 0, 16), Error);
  EXPECT_THROW(SnapshotSweep(reader, "V", 3, 2), Error);
}

// A program may have the file open by itself, or through netCDF-4, which closes files in another way than HDF5 does.
TEST_F(SeriesReaderTest, AFileThatTheProgramHasOpenItself) {
  make({5, 12, 2}, {2, 5, 2}, 5);
  for (const H5F_close_degree_t degree : {H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG}) {
    const storage::Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fclose_degree(access, degree);
    const storage::Handle own(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access));
    ASSERT_TRUE(own.valid());
    const SeriesReader weft = SeriesReader::open(path_);
    EXPECT_EQ(weft.snapshot<double>("V", 4)[23], value_of(4, 11, 1)) << degree;
    ReadOptions options;  // as any HDF5 file
    options.choice.dataset = "/V";
    const SeriesReader any = SeriesReader::open(path_, options);
    EXPECT_EQ(any.committed(), 5U) << degree;
  }
}

TEST_F(SeriesReaderTest, TheStoreALayoutWasDesignedForIsFound) {
  FilePlan plan = file_plan({6, 10, 2}, {4, 5, 2});
  plan.fields[0].field.rationale = R"({"store": {"latency_s": 2e-5, "bandwidth": 3e9}})";
  create_series_file(path_, plan);
  const SeriesReader reader = SeriesReader::open(path_);
  EXPECT_EQ(reader.recorded_access_cost("V").latency_s, 2e-5);
  EXPECT_EQ(reader.recorded_access_cost("V").bandwidth, 3e9);
  EXPECT_EQ(reader.recorded_access_cost("beat").latency_s, layout::AccessCost{}.latency_s);
}

// A store whose bytes are in memory until they are said to be far away.
class StoreThatMoves final : public storage::ByteStore {
 public:
  StoreThatMoves(std::unique_ptr<storage::ByteStore> inner, std::shared_ptr<bool> far)
      : inner_(std::move(inner)), far_(std::move(far)) {}
  using ByteStore::read_at;
  using ByteStore::write_at;
  const std::string& name() const override { return inner_->name(); }
  std::uint64_t size() override { return inner_->size(); }
  void read_at(std::uint64_t offset, std::span<const storage::MutableBytes> pieces) override {
    if (*far_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    inner_->read_at(offset, pieces);
  }
  void write_at(std::uint64_t offset, std::span<const storage::Bytes> pieces) override {
    inner_->write_at(offset, pieces);
  }
  void reserve(std::uint64_t offset, std::uint64_t bytes) override { inner_->reserve(offset, bytes); }
  void sync() override { inner_->sync(); }
  void close() override { inner_->close(); }

 private:
  std::unique_ptr<storage::ByteStore> inner_;
  std::shared_ptr<bool> far_;
};

TEST_F(SeriesReaderTest, AStoreThatWasMeasuredInMemoryIsLearnedAnew) {
  make({200, 3000, 2}, {50, 3000, 2}, 200);
  const auto far = std::make_shared<bool>(false);
  ReadOptions options;
  options.wrap = [far](std::unique_ptr<storage::ByteStore> inner) {
    return std::make_unique<StoreThatMoves>(std::move(inner), far);
  };
  // On a busy machine memory seems to be further away than it is, now and then.
  constexpr int kTries = 100;
  SeriesReader reader = SeriesReader::open(path_, options);
  const Box trace = reader.trace_box("V", 7);
  const auto requests = [&] { return reader.plan("V", trace).requests.size(); };
  for (int i = 0; i < kTries && requests() != 200; ++i) reader = SeriesReader::open(path_, options);
  ASSERT_EQ(requests(), 200U);  // memory: a request a step
  *far = true;
  expect_box(reader, trace);
  EXPECT_EQ(requests(), 4U);  // 1 ms away: a request a chunk
  *far = false;
  for (int i = 0; i < kTries && requests() != 200; ++i) expect_box(reader, trace);
  EXPECT_EQ(requests(), 200U);
}

}  // namespace
}  // namespace weft
