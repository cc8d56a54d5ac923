// weft.h, as a program in C sees it: nothing else of Weft is included or linked.
#include <weft.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

class WeftHTest : public testing::Test {
 protected:
  void TearDown() override {
    weft_spec_free(spec_);
    std::filesystem::remove(path_);
  }

  // Steps of nodes x 2 values: 1000 step + 2 node + component.
  static std::vector<double> step_of(std::uint64_t step) {
    std::vector<double> values(2 * kNodes);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 1000.0 * static_cast<double>(step) + static_cast<double>(i);
    return values;
  }
  void describe() {
    const std::array<std::uint64_t, 2> shape{kNodes, 2};
    ASSERT_EQ(weft_add_field(spec_, "V", WEFT_FLOAT64, 2, shape.data()), WEFT_OK) << weft_last_error();
    ASSERT_EQ(weft_add_field(spec_, "dt", WEFT_INT32, 0, nullptr), WEFT_OK) << weft_last_error();
  }
  static void put_steps(weft_writer* writer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t step = from; step < to; ++step) {
      const std::vector<double> values = step_of(step);
      const auto dt = static_cast<std::int32_t>(step);
      ASSERT_EQ(weft_put(writer, "V", WEFT_FLOAT64, values.data(), values.size()), WEFT_OK) << weft_last_error();
      ASSERT_EQ(weft_put(writer, "dt", WEFT_INT32, &dt, 1), WEFT_OK) << weft_last_error();
      ASSERT_EQ(weft_end_step(writer, 0.5 * static_cast<double>(step)), WEFT_OK) << weft_last_error();
    }
  }
  void make(std::uint64_t steps) {
    describe();
    weft_writer* writer = nullptr;
    ASSERT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
    put_steps(writer, 0, steps);
    ASSERT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  }

  static constexpr std::uint64_t kNodes = 30;
  weft_spec* spec_ = weft_spec_new();
  std::string path_ = "weft_h_test." + std::to_string(::getpid()) + ".h5";
};

TEST_F(WeftHTest, WhatIsWrittenIsReadEachWay) {
  ASSERT_EQ(weft_set_field(spec_, "V", "units", "mV"), WEFT_USAGE);
  EXPECT_STREQ(weft_last_error(), "field 'V': was not added; call weft_add_field first");
  describe();
  EXPECT_EQ(weft_set_field(spec_, "V", "units", "mV"), WEFT_OK);
  EXPECT_EQ(weft_set_field(spec_, "V", "filters", "shuffle+deflate:1"), WEFT_OK);
  EXPECT_EQ(weft_set(spec_, "budget", "8MiB"), WEFT_OK);
  weft_writer* writer = nullptr;
  ASSERT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
  put_steps(writer, 0, 7);
  std::uint64_t next = 0;
  EXPECT_EQ(weft_next_step(writer, &next), WEFT_OK);
  EXPECT_EQ(next, 7U);

  ASSERT_EQ(weft_flush(writer), WEFT_OK);
  weft_reader* reader = nullptr;
  ASSERT_EQ(weft_open(path_.c_str(), &reader), WEFT_OK) << weft_last_error();
  std::uint64_t committed = 0;
  EXPECT_EQ(weft_committed(reader, &committed), WEFT_OK);
  EXPECT_EQ(committed, 7U);
  EXPECT_EQ(weft_follow(reader, 7, 0.1, &committed), WEFT_OK);
  EXPECT_EQ(committed, 7U);  // the time is over
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    put_steps(writer, 7, 9);
    EXPECT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  });
  EXPECT_EQ(weft_follow(reader, 7, 30, &committed), WEFT_OK) << weft_last_error();
  later.join();
  EXPECT_EQ(weft_reload(reader), WEFT_OK);
  EXPECT_EQ(weft_committed(reader, &committed), WEFT_OK);
  EXPECT_EQ(committed, 9U);

  std::size_t fields = 0;
  EXPECT_EQ(weft_field_count(reader, &fields), WEFT_OK);
  EXPECT_EQ(fields, 2U);
  EXPECT_STREQ(weft_field_name(reader, 0), "V");
  EXPECT_STREQ(weft_field_units(reader, "V"), "mV");
  EXPECT_EQ(weft_field_name(reader, 2), nullptr);
  weft_type type = 0;
  int rank = 0;
  std::array<std::uint64_t, WEFT_MAX_RANK> shape{};
  EXPECT_EQ(weft_field_shape(reader, "V", &type, &rank, shape.data()), WEFT_OK);
  EXPECT_EQ(type, WEFT_FLOAT64);
  EXPECT_EQ(rank, 2);
  EXPECT_EQ(shape[0], kNodes);
  EXPECT_EQ(shape[1], 2U);

  std::vector<double> snapshot(2 * kNodes);
  EXPECT_EQ(weft_snapshot(reader, "V", 8, WEFT_FLOAT64, snapshot.data(), snapshot.size()), WEFT_OK)
      << weft_last_error();
  EXPECT_EQ(snapshot, step_of(8));
  std::vector<double> trace(18);
  EXPECT_EQ(weft_trace(reader, "V", 4, WEFT_FLOAT64, trace.data(), trace.size()), WEFT_OK) << weft_last_error();
  for (std::uint64_t step = 0; step < 9; ++step) EXPECT_EQ(trace[2 * step + 1], step_of(step)[9]);
  std::vector<double> box(15);
  const std::array<std::uint64_t, 3> start{2, 10, 1};
  const std::array<std::uint64_t, 3> count{3, 5, 1};
  EXPECT_EQ(weft_read(reader, "V", start.data(), count.data(), WEFT_FLOAT64, box.data(), box.size()), WEFT_OK);
  EXPECT_EQ(box[14], step_of(4)[29]);
  std::vector<double> times(9);
  EXPECT_EQ(weft_times(reader, 9, times.data()), WEFT_OK);
  EXPECT_EQ(times[8], 4.0);
  weft_close_reader(reader);
}

TEST_F(WeftHTest, ASeriesIsGoneOnWith) {
  make(6);
  EXPECT_EQ(weft_set(spec_, "from_step", "4"), WEFT_OK);
  weft_writer* writer = nullptr;
  ASSERT_EQ(weft_append(spec_, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
  put_steps(writer, 4, 8);
  ASSERT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  weft_reader* reader = nullptr;
  ASSERT_EQ(weft_open(path_.c_str(), &reader), WEFT_OK);
  std::uint64_t committed = 0;
  weft_committed(reader, &committed);
  EXPECT_EQ(committed, 8U);
  weft_close_reader(reader);
}

TEST_F(WeftHTest, MistakesAreOneLineAndNothingIsMade) {
  weft_writer* writer = nullptr;
  EXPECT_EQ(weft_set(spec_, "bugdet", "1MiB"), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), HasSubstr("use align, budget, calendar, commit_every"));
  EXPECT_EQ(weft_set(spec_, "budget", "much"), WEFT_USAGE);
  EXPECT_EQ(weft_set(nullptr, "budget", "1MiB"), WEFT_USAGE);
  EXPECT_STREQ(weft_last_error(), "spec: is NULL; give one");
  EXPECT_EQ(weft_add_field(spec_, "V", 9, 0, nullptr), WEFT_USAGE);
  EXPECT_EQ(weft_add_field(spec_, "V", WEFT_FLOAT64, 2, nullptr), WEFT_USAGE);
  EXPECT_EQ(weft_add_field(spec_, "V", WEFT_FLOAT64, 99, nullptr), WEFT_USAGE);
  describe();
  EXPECT_EQ(weft_add_field(spec_, "V", WEFT_FLOAT64, 0, nullptr), WEFT_USAGE);
  const std::array<std::uint64_t, 2> twice{3, 3};
  EXPECT_EQ(weft_own_ids(spec_, "V", 2, twice.data(), nullptr), WEFT_USAGE);

  EXPECT_EQ(weft_create(spec_, "no/such/folder/a.h5", &writer), WEFT_SYSTEM);
  EXPECT_EQ(writer, nullptr);
  EXPECT_EQ(weft_set(spec_, "strategy", "cached"), WEFT_OK);
  EXPECT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), StartsWith("option 'strategy': is for ranks"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(WeftHTest, WrongValuesAndReadsAreRefused) {
  make(3);
  weft_spec* again = weft_spec_new();
  weft_writer* writer = nullptr;
  ASSERT_EQ(weft_append(again, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
  const std::vector<float> floats(2 * kNodes);
  EXPECT_EQ(weft_put(writer, "V", WEFT_FLOAT32, floats.data(), floats.size()), WEFT_USAGE);
  EXPECT_EQ(weft_end_step(writer, 9), WEFT_USAGE);
  EXPECT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  weft_spec_free(again);

  weft_reader* reader = nullptr;
  EXPECT_EQ(weft_open("none.h5", &reader), WEFT_SYSTEM);
  EXPECT_EQ(reader, nullptr);
  ASSERT_EQ(weft_open(path_.c_str(), &reader), WEFT_OK);
  std::vector<double> values(2 * kNodes);
  EXPECT_EQ(weft_snapshot(reader, "V", 0, WEFT_FLOAT64, values.data(), 7), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), HasSubstr("60 values of 'V' were asked for, and there is memory for 7"));
  EXPECT_EQ(weft_snapshot(reader, "V", 0, WEFT_INT64, values.data(), values.size()), WEFT_USAGE);
  EXPECT_EQ(weft_snapshot(reader, "V", 3, WEFT_FLOAT64, values.data(), values.size()), WEFT_USAGE);
  EXPECT_EQ(weft_trace(reader, "W", 0, WEFT_FLOAT64, values.data(), 6), WEFT_USAGE);
  EXPECT_EQ(weft_snapshot(reader, nullptr, 0, WEFT_FLOAT64, values.data(), values.size()), WEFT_USAGE);
  weft_close_reader(reader);
}

TEST_F(WeftHTest, HandlesThatAreClosedAreRefused) {
  describe();
  weft_writer* writer = nullptr;
  ASSERT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
  put_steps(writer, 0, 3);
  ASSERT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  const double one = 1;
  std::uint64_t number = 0;
  EXPECT_EQ(weft_put(writer, "V", WEFT_FLOAT64, &one, 1), WEFT_USAGE);
  EXPECT_STREQ(weft_last_error(), "writer: has been closed or freed, or is none; make it anew");
  EXPECT_EQ(weft_end_step(writer, 3), WEFT_USAGE);
  EXPECT_EQ(weft_flush(writer), WEFT_USAGE);
  EXPECT_EQ(weft_next_step(writer, &number), WEFT_USAGE);
  EXPECT_EQ(weft_close(writer), WEFT_USAGE);
  weft_abandon(writer);

  weft_reader* reader = nullptr;
  ASSERT_EQ(weft_open(path_.c_str(), &reader), WEFT_OK) << weft_last_error();
  weft_close_reader(reader);
  EXPECT_EQ(weft_committed(reader, &number), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), StartsWith("reader: has been closed"));
  weft_close_reader(reader);

  weft_spec_free(spec_);
  EXPECT_EQ(weft_set(spec_, "steps", "3"), WEFT_USAGE);
  weft_spec_free(spec_);
  spec_ = nullptr;
}

TEST_F(WeftHTest, WhatIsRefusedChangesNothing) {
  describe();
  weft_writer* writer = nullptr;
  ASSERT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
  put_steps(writer, 0, 3);
  const std::vector<float> wrong(2 * kNodes);
  EXPECT_EQ(weft_put(writer, "V", WEFT_FLOAT32, wrong.data(), wrong.size()), WEFT_USAGE);
  EXPECT_EQ(weft_end_step(writer, 1.5), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), HasSubstr("step 3 ends without field V"));
  put_steps(writer, 3, 5);
  EXPECT_EQ(weft_put(writer, "V", WEFT_FLOAT32, wrong.data(), wrong.size()), WEFT_USAGE);
  EXPECT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  weft_reader* reader = nullptr;
  ASSERT_EQ(weft_open(path_.c_str(), &reader), WEFT_OK) << weft_last_error();
  std::vector<double> values(2 * kNodes);
  EXPECT_EQ(weft_snapshot(reader, "V", 4, WEFT_FLOAT64, values.data(), values.size()), WEFT_OK) << weft_last_error();
  EXPECT_EQ(values, step_of(4));
  weft_close_reader(reader);
}

TEST_F(WeftHTest, ARankMayHaveMoreRowsThanThereAreNodes) {  // copies of its own nodes at a periodic edge
  describe();
  std::vector<std::uint64_t> ids;
  std::vector<std::uint8_t> ghosts;
  std::vector<double> values;
  for (std::uint64_t row = 0; row < kNodes + 2; ++row) {
    ids.push_back((row + kNodes - 1) % kNodes);
    ghosts.push_back(row == 0 || row == kNodes + 1 ? 1 : 0);
    for (std::uint64_t c = 0; c < 2; ++c) values.push_back(ghosts.back() != 0 ? -1 : step_of(0)[2 * ids.back() + c]);
  }
  ASSERT_EQ(weft_own_ids(spec_, "V", ids.size(), ids.data(), ghosts.data()), WEFT_OK) << weft_last_error();
  EXPECT_EQ(weft_own_ids(spec_, "V", static_cast<std::size_t>(-1), ids.data(), ghosts.data()), WEFT_USAGE);
  weft_writer* writer = nullptr;
  ASSERT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_OK) << weft_last_error();
  const std::int32_t dt = 0;
  EXPECT_EQ(weft_put(writer, "V", WEFT_FLOAT64, values.data(), values.size()), WEFT_OK) << weft_last_error();
  EXPECT_EQ(weft_put(writer, "dt", WEFT_INT32, &dt, 1), WEFT_OK);
  EXPECT_EQ(weft_end_step(writer, 0), WEFT_OK);
  EXPECT_EQ(weft_close(writer), WEFT_OK) << weft_last_error();
  weft_reader* reader = nullptr;
  ASSERT_EQ(weft_open(path_.c_str(), &reader), WEFT_OK) << weft_last_error();
  std::vector<double> back(2 * kNodes);
  EXPECT_EQ(weft_snapshot(reader, "V", 0, WEFT_FLOAT64, back.data(), back.size()), WEFT_OK) << weft_last_error();
  EXPECT_EQ(back, step_of(0));
  weft_close_reader(reader);
}

TEST_F(WeftHTest, AWrongNodeOfAMeshIsRefusedWhereItIsGiven) {  // not in a create that other ranks wait in
  const std::array<std::uint64_t, 2> ids{0, 2};
  const std::array<double, 6> points{};
  EXPECT_EQ(weft_set_mesh(spec_, 2, 2, ids.data(), points.data(), 0, nullptr, nullptr, nullptr), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), HasSubstr("2"));
}

TEST_F(WeftHTest, CountsThatCannotBeAreRefused) {
  describe();
  const std::array<std::uint64_t, 2> corner{};
  const double point = 0;
  const std::uint8_t type = 1;
  const std::int64_t size = 1;
  const auto many = static_cast<std::size_t>(-1);
  EXPECT_EQ(weft_own_boxes(spec_, "V", many, corner.data(), corner.data()), WEFT_USAGE);
  EXPECT_EQ(weft_own_ids(spec_, "V", many, corner.data(), nullptr), WEFT_USAGE);
  EXPECT_EQ(weft_set_mesh(spec_, 1, many, nullptr, &point, 1, &type, &size, &size), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), HasSubstr("points of this rank of 1"));
  EXPECT_EQ(weft_set_mesh(spec_, 0, 0, nullptr, &point, many, &type, &size, &size), WEFT_USAGE);
  EXPECT_EQ(weft_set_field(spec_, "V", "attribute.weft_layout", "x"), WEFT_USAGE);
  const std::array<std::uint64_t, 7> extents{10, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(weft_set_grid(spec_, 7, extents.data(), nullptr, nullptr), WEFT_OK);
  weft_writer* writer = nullptr;
  EXPECT_EQ(weft_create(spec_, path_.c_str(), &writer), WEFT_USAGE);
  EXPECT_THAT(weft_last_error(), HasSubstr("the grid: has 7 axes"));
}

TEST_F(WeftHTest, ErrorsAreOfTheirThread) {
  EXPECT_EQ(weft_set(spec_, "no such", ""), WEFT_USAGE);
  std::thread([] { EXPECT_STREQ(weft_last_error(), ""); }).join();
  EXPECT_THAT(weft_last_error(), StartsWith("option 'no such'"));
  EXPECT_EQ(weft_last_error_is_agreed(), 0);
}

TEST_F(WeftHTest, AChunkIsChosenAsByTheCommand) {
  const std::array<std::uint64_t, 2> shape{400000, 2};
  std::array<std::uint64_t, 3> chunk{};
  ASSERT_EQ(weft_layout(151, 2, shape.data(), WEFT_FLOAT64, nullptr, 0, chunk.data()), WEFT_OK) << weft_last_error();
  EXPECT_EQ(chunk, (std::array<std::uint64_t, 3>{19, 3449, 2}));
  EXPECT_EQ(weft_layout(151, 0, shape.data(), WEFT_FLOAT64, nullptr, 0, chunk.data()), WEFT_USAGE);
}

TEST_F(WeftHTest, TheVersionIsTold) { EXPECT_STREQ(weft_version(), "0.1.0"); }

}  // namespace
