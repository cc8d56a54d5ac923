// The writer alone, on one rank without MPI, its flush thread beside it; tests/mpi has it on many.
#include "weft/series/series_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>

#include "weft/reading/series_reader.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/wrapped_stores.hpp"
#include "weft/support/error.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kNodes = 3000;
constexpr std::uint64_t kSteps = 40;

double value(std::uint64_t step, std::uint64_t node) {
  return 1e4 * static_cast<double>(step) + static_cast<double>(node);
}

class SeriesWriterTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-series-writer-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  std::shared_ptr<Communicator> alone_ = std::make_shared<SelfCommunicator>();
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Chunks of a few steps and tiles of 64 KiB or so, and windows of a step or two.
  static SeriesSpec spec() {
    SeriesSpec spec;
    spec.steps = kSteps;
    spec.options.budget_bytes = 200'000;
    FieldSpec field{.name = "V", .per_step = {kNodes}};
    field.owned = partition::Ownership::all({kNodes});
    field.layout.target_bytes = 128 << 10;
    FieldSpec energy{.name = "energy", .support = Support::global};
    spec.fields = {field, energy};
    return spec;
  }

  static void write(SeriesWriter& writer, std::uint64_t end) {
    std::vector<double> values(kNodes);
    while (writer.next_step() < end) {
      const std::uint64_t step = writer.next_step();
      for (std::uint64_t n = 0; n < kNodes; ++n) values[n] = value(step, n);
      writer.put("V", values);
      writer.put("energy", std::vector<double>{value(step, 0)});
      writer.end_step(static_cast<double>(step));
    }
  }

  void expect_steps(std::uint64_t steps) const {
    const SeriesReader reader = SeriesReader::open(path_);
    ASSERT_EQ(reader.committed(), steps);
    for (std::uint64_t step = 0; step < steps; ++step) {
      const auto snapshot = reader.snapshot<double>("V", step);
      for (std::uint64_t n = 0; n < kNodes; ++n) ASSERT_EQ(snapshot[n], value(step, n)) << step << " " << n;
    }
    for (std::uint64_t step = 0; step < steps; ++step) EXPECT_EQ(reader.times()[step], static_cast<double>(step));
  }
};

TEST_F(SeriesWriterTest, ASeriesOfNoStepsShowsNone) {
  for (const bool known : {true, false}) {
    SeriesSpec wish = spec();
    if (!known) wish.steps.reset();
    wish.grid.shape = {1, kNodes};  // so that there is a view
    SeriesWriter::create(alone_, path_, wish).close();
    storage::ShownSteps shown = storage::shown_steps(path_);
    EXPECT_EQ(shown.length, 0U);
    EXPECT_EQ(shown.viewed.value_or(0), 0U);
    expect_steps(0);
    AppendSpec more;
    more.owned = {{"V", partition::Ownership::all({kNodes})}};
    more.options = wish.options;
    SeriesWriter writer = SeriesWriter::append(alone_, path_, more);
    write(writer, 3);
    writer.close();
    expect_steps(3);
    shown = storage::shown_steps(path_);
    EXPECT_EQ(shown.length, 3U);
    EXPECT_EQ(shown.viewed.value_or(3), 3U);
    // Back to the first step, and no step after that.
    more.from_step = 0;
    SeriesWriter::append(alone_, path_, more).close();
    EXPECT_EQ(storage::shown_steps(path_).length, 0U);
  }
}

TEST_F(SeriesWriterTest, ANameThatCannotBeIsRefusedBeforeTheOldFileIsTouched) {
  SeriesWriter::create(alone_, path_, spec()).close();
  const auto before = std::filesystem::last_write_time(path_);
  for (const std::string& name : {std::string("a\nb"), std::string("a/b"), std::string("."), std::string(300, 'V'),
                                  std::string("a\x7f"), std::string()}) {
    SeriesSpec bad = spec();
    bad.fields[0].name = name;
    try {
      SeriesWriter::create(alone_, path_, bad);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("cannot name a field"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
    EXPECT_EQ(std::filesystem::last_write_time(path_), before);
  }
}

TEST_F(SeriesWriterTest, WhatIsPutIsReadBackWhicheverWayItWent) {
  for (const DirectWrites direct : {DirectWrites::never, DirectWrites::automatic, DirectWrites::always}) {
    SeriesSpec wish = spec();
    wish.options.direct = direct;
    try {
      SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
      write(writer, kSteps);
      writer.close();
      EXPECT_GE(writer.counters().windows.load(), 10U);
    } catch (const Error& error) {
      ASSERT_EQ(direct, DirectWrites::always) << error.what();
      GTEST_SKIP() << error.what();  // a file system without direct writes says so
    }
    expect_steps(kSteps);
  }
}

TEST_F(SeriesWriterTest, TheDiskBeginsWithEachWindowUnlessNothingIsSynced) {
  if (!storage::file_system_of(path_).one_machine()) GTEST_SKIP() << "the folder for temporary files is elsewhere";
  for (const Sync sync : {Sync::commit, Sync::window, Sync::none}) {
    SeriesSpec wish = spec();
    wish.options.budget_bytes = 2'000'000;  // windows of whole chunks, some 100,000 bytes each and more
    wish.options.sync = sync;
    SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
    write(writer, kSteps);
    writer.close();
    const std::uint64_t windows = writer.counters().windows;
    EXPECT_GT(windows, 1U);
    EXPECT_EQ(writer.counters().syscall.writebacks, sync == Sync::none ? 0U : windows);
    expect_steps(kSteps);
  }
  SeriesSpec wish = spec();  // windows of 1 or 2 steps, 24,000 bytes each: too short
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  write(writer, kSteps);
  writer.close();
  EXPECT_EQ(writer.counters().syscall.writebacks, 0U);
}

TEST_F(SeriesWriterTest, ASeriesOfUnknownLengthGrowsAndGoesBack) {
  SeriesSpec wish = spec();
  wish.steps.reset();
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  write(writer, 200);
  writer.close();
  expect_steps(200);
  AppendSpec back;
  back.owned = {{"V", partition::Ownership::all({kNodes})}};
  back.from_step = 150;
  SeriesWriter again = SeriesWriter::append(alone_, path_, back);
  EXPECT_EQ(again.next_step(), 150U);
  write(again, 170);
  again.close();
  expect_steps(170);
}

TEST_F(SeriesWriterTest, WhatIsFlushedIsCommittedAtOnce) {
  SeriesWriter writer = SeriesWriter::create(alone_, path_, spec());
  for (const std::uint64_t step : {1U, 2U, 7U, 8U, 23U}) {
    write(writer, step);
    writer.flush();
    expect_steps(step);
    writer.flush();  // with nothing new, too
  }
  write(writer, kSteps);
  writer.close();
  expect_steps(kSteps);
  EXPECT_THROW(writer.flush(), Error);
}

// Known and unknown lengths, flushes within chunks, a resume, and a disk that is full at some write.
TEST_F(SeriesWriterTest, FilteredSeriesHoldWhatWasPut) {
  for (const std::string filters : {"shuffle+deflate:1", "lzf+fletcher32"}) {
    for (const bool known : {true, false}) {
      SeriesSpec filtered = spec();
      filtered.options.budget_bytes = 2 << 20;
      filtered.fields[0].filters = filters;
      if (!known) filtered.steps.reset();
      SeriesWriter writer = SeriesWriter::create(alone_, path_, filtered);
      write(writer, 3);
      writer.flush();
      expect_steps(3);
      write(writer, kSteps);
      writer.close();
      expect_steps(kSteps);
      AppendSpec more;
      more.options.budget_bytes = 2 << 20;
      more.owned = {{"V", partition::Ownership::all({kNodes})}};
      more.from_step = 2;
      SeriesWriter appended = SeriesWriter::append(alone_, path_, more);
      write(appended, kSteps + 90);
      appended.close();
      expect_steps(kSteps + 90);
    }
  }
}

TEST_F(SeriesWriterTest, AFullDiskEndsAFilteredSeriesAndWhatWasCommittedStays) {
  for (const std::uint64_t fatal : {0U, 1U, 2U, 3U, 4U, 6U, 9U, 14U}) {
    SeriesSpec filtered = spec();
    filtered.options.budget_bytes = 2 << 20;
    filtered.fields[0].filters = "shuffle+deflate:1";
    filtered.options.wrap_store = [&](std::unique_ptr<storage::ByteStore> store) {
      return storage::failing_store(std::move(store),
                                    [=](std::uint64_t write, std::uint64_t) { return write >= fatal ? ENOSPC : 0; });
    };
    EXPECT_THROW(
        {
          SeriesWriter writer = SeriesWriter::create(alone_, path_, filtered);
          write(writer, kSteps);
          writer.close();
        },
        Error);
    if (!std::filesystem::exists(path_)) continue;  // not even its slots could be written
    expect_steps(SeriesReader::open(path_).committed());
    std::filesystem::remove(path_);
  }
}

TEST_F(SeriesWriterTest, NoFlushInTheMiddleOfAStep) {
  SeriesWriter writer = SeriesWriter::create(alone_, path_, spec());
  write(writer, 5);
  writer.put("V", std::vector<double>(kNodes));
  EXPECT_THROW(writer.flush(), Error);
}

TEST_F(SeriesWriterTest, ACallThatIsRefusedChangesNothing) {
  SeriesWriter writer = SeriesWriter::create(alone_, path_, spec());
  write(writer, 5);
  EXPECT_THROW(writer.put("V", std::vector<float>(kNodes)), Error);
  EXPECT_THROW(writer.put("W", std::vector<double>(kNodes)), Error);
  EXPECT_THROW(writer.end_step(5), Error);  // without any field
  std::vector<double> values(kNodes);
  for (std::uint64_t n = 0; n < kNodes; ++n) values[n] = value(5, n);
  writer.put("V", values);
  EXPECT_THROW(writer.end_step(5), Error);  // without energy
  EXPECT_THROW(writer.flush(), Error);
  writer.put("energy", 1.0);
  EXPECT_THROW(writer.end_step(4), Error);  // the time of the step before
  EXPECT_EQ(writer.next_step(), 5U);
  writer.end_step(5);
  writer.flush();
  expect_steps(6);
  write(writer, kSteps);
  writer.close();
  expect_steps(kSteps);
}

TEST_F(SeriesWriterTest, CloseInTheMiddleOfAStepKeepsThoseBefore) {
  SeriesSpec wish = spec();
  wish.options.budget_bytes = 64 << 20;  // no window is full
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  write(writer, 5);
  writer.put("V", std::vector<double>(kNodes));
  try {
    writer.close();
    FAIL() << "it was closed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("close() in the middle of step 5"), std::string::npos) << error.what();
  }
  expect_steps(5);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".weft-lock"));
  writer.close();  // it is closed
}

TEST_F(SeriesWriterTest, GlobalFieldsNameTheirValues) {
  SeriesSpec wish = spec();
  wish.fields[1].per_step = {3};
  wish.fields[1].components = {"x", "y"};
  EXPECT_THROW(SeriesWriter::create(alone_, path_, wish), Error);
  wish.fields[1].components = {"x", "y", "z"};
  SeriesWriter::create(alone_, path_, wish).close();
  EXPECT_EQ(SeriesReader::open(path_).field("energy").components, wish.fields[1].components);
}

TEST_F(SeriesWriterTest, AFailingDiskIsToldAndWhatWasCommittedStays) {
  SeriesSpec wish = spec();
  wish.options.wrap_store = [](std::unique_ptr<storage::ByteStore> store) {
    return storage::failing_store(std::move(store),
                                  [](std::uint64_t write, std::uint64_t) { return write < 30 ? 0 : ENOSPC; });
  };
  try {
    SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
    write(writer, kSteps);
    writer.close();
    FAIL() << "a full disk goes unnoticed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
  const std::uint64_t committed = SeriesReader::open(path_).committed();
  EXPECT_GT(committed, 0U);
  EXPECT_LT(committed, kSteps);
  expect_steps(committed);
}

std::string line_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(SeriesWriterTest, AFailureIsToldAtTheNextCallAndEndsTheWriter) {
  // Windows of a step or two: the write that fails is far from the end.
  SeriesSpec wish = spec();
  wish.steps.reset();
  wish.options.wrap_store = [](std::unique_ptr<storage::ByteStore> store) {
    return storage::failing_store(std::move(store),
                                  [](std::uint64_t write, std::uint64_t) { return write < 20 ? 0 : ENOSPC; });
  };
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  const std::string line = line_of([&] { write(writer, 1000); });
  EXPECT_NE(line.find("No space left"), std::string::npos) << line;
  const std::uint64_t stopped = writer.next_step();
  EXPECT_LT(stopped, 30U);
  // A caller that logs it and goes on is told the same, and nothing is taken from it.
  for (int again = 0; again < 100; ++again) {
    EXPECT_EQ(line_of([&] { writer.put("V", std::vector<double>(kNodes)); }), line);
    EXPECT_EQ(line_of([&] { writer.end_step(1); }), line);
  }
  EXPECT_EQ(line_of([&] { writer.flush(); }), line);
  EXPECT_EQ(line_of([&] { writer.close(); }), line);
  EXPECT_EQ(line_of([&] { writer.close(); }), line) << "a second close() is no better";
  EXPECT_EQ(writer.next_step(), stopped);
}

TEST_F(SeriesWriterTest, AWriterAloneLeftWithoutCloseLosesNoStep) {
  // 99 small steps: far from filling a window.
  SeriesSpec wish = spec();
  wish.steps = 100;
  wish.options.budget_bytes = 64 << 20;
  {
    SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
    write(writer, 99);
    EXPECT_LT(SeriesReader::open(path_).committed(), 99U);
  }
  expect_steps(99);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".weft-lock"));
}

TEST_F(SeriesWriterTest, StepsAreBroughtIntoTheFileByNumberAndByAge) {
  SeriesSpec wish = spec();
  wish.options.budget_bytes = 64 << 20;
  wish.options.commit_steps = 5;
  {
    SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
    write(writer, 23);
    writer.flush();
  }
  wish.options.commit_steps = 0;
  wish.options.commit_seconds = 0.02;
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  for (std::uint64_t step = 1; step <= 20; ++step) {
    write(writer, step);
    ::usleep(5'000);
  }
  std::uint64_t committed = 0;
  for (int look = 0; look < 500 && committed == 0; ++look) {
    committed = SeriesReader::open(path_).committed();
    ::usleep(10'000);
  }
  EXPECT_GT(committed, 0U);
  expect_steps(committed);
}

TEST_F(SeriesWriterTest, ASecondWriterIsRefused) {
  SeriesWriter writer = SeriesWriter::create(alone_, path_, spec());
  write(writer, 5);
  AppendSpec back;
  back.owned = {{"V", partition::Ownership::all({kNodes})}};
  EXPECT_NE(line_of([&] { SeriesWriter::append(alone_, path_, back); }).find("is being written by a simulation"),
            std::string::npos);
  EXPECT_NE(line_of([&] { SeriesWriter::create(alone_, path_, spec()); }).find("is being written"), std::string::npos);
  write(writer, kSteps);
  writer.close();
  expect_steps(kSteps);
  SeriesWriter::append(alone_, path_, back).close();
  expect_steps(kSteps);
}

// What an end_step() at this time is answered with, at once or by the flush.
std::string answer_to(SeriesWriter& writer, double time) {
  try {
    writer.put("V", std::vector<double>(kNodes));
    writer.put("energy", 1.0);
    writer.end_step(time);
    writer.flush();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(SeriesWriterTest, TimesThatDoNotRiseAreRefused) {
  for (const double time : {std::nan(""), std::numeric_limits<double>::infinity(), 4.0, 3.5}) {
    SeriesWriter writer = SeriesWriter::create(alone_, path_, spec());
    write(writer, 5);
    writer.flush();
    EXPECT_THAT(answer_to(writer, time), testing::HasSubstr("step 5 is to end at the time")) << time;
    expect_steps(5);
  }
  AppendSpec more;
  more.owned = {{"V", partition::Ownership::all({kNodes})}};
  {
    SeriesWriter writer = SeriesWriter::append(alone_, path_, more);
    EXPECT_THAT(answer_to(writer, 4), testing::HasSubstr("the step before it ended at 4"));
  }
  more.from_step = 3;
  SeriesWriter writer = SeriesWriter::append(alone_, path_, more);
  EXPECT_EQ(answer_to(writer, 2.5), "nothing");
}

TEST_F(SeriesWriterTest, PutTakesWhateverHoldsNumbersInARow) {
  SeriesSpec wish = spec();
  wish.steps = 4;
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  std::vector<double> values(kNodes, 7);
  const std::array<double, 1> one{8};
  for (int step = 0; step < 4; ++step) {
    switch (step) {
      case 0: writer.put("V", std::span(values)); break;
      case 1: writer.put("V", std::span<const double>(values)); break;
      case 2: writer.put("V", values.data(), values.size()); break;
      default: writer.put<double>("V", values);
    }
    step % 2 == 0 ? writer.put("energy", 8.0) : writer.put("energy", one);
    writer.end_step(step);
  }
  writer.close();
  const SeriesReader reader = SeriesReader::open(path_);
  for (std::uint64_t step = 0; step < 4; ++step) {
    EXPECT_EQ(reader.snapshot<double>("V", step)[kNodes - 1], 7);
    EXPECT_EQ(reader.snapshot<double>("energy", step)[0], 8);
  }
}

TEST_F(SeriesWriterTest, AHandlePutsAsTheNameDoes) {
  SeriesSpec wish = spec();
  wish.steps = 1;
  SeriesWriter writer = SeriesWriter::create(alone_, path_, wish);
  const FieldHandle v = writer.field("V");
  writer.put(v, std::vector<double>(kNodes, 7));
  EXPECT_THROW(writer.field("W"), Error);
  writer.put(std::string("energy"), 8.0);
  writer.end_step(0);
  writer.close();
  EXPECT_EQ(SeriesReader::open(path_).snapshot<double>("V", 0)[kNodes - 1], 7);

  // A handle of another series, which has more fields.
  wish.fields.resize(1);
  SeriesWriter other = SeriesWriter::create(alone_, path_ + ".other", wish);
  SeriesWriter larger = SeriesWriter::create(alone_, path_, spec());
  try {
    other.put(larger.field("energy"), 1.0);
    FAIL() << "the handle was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("another series"), std::string::npos) << error.what();
  }
}

TEST_F(SeriesWriterTest, ASeriesWithoutFieldsHasNoMoreStepsThanDeclared) {
  SeriesSpec times = spec();
  times.fields.clear();
  SeriesWriter writer = SeriesWriter::create(alone_, path_, times);
  for (std::uint64_t step = 0; step < kSteps; ++step) writer.end_step(static_cast<double>(step));
  try {
    writer.end_step(static_cast<double>(kSteps));
    FAIL() << "it took another step";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("they are all written"), std::string::npos) << error.what();
  }
  writer.close();
  EXPECT_EQ(SeriesReader::open(path_).committed(), kSteps);
}

TEST_F(SeriesWriterTest, MistakesAreNamed) {
  SeriesWriter writer = SeriesWriter::create(alone_, path_, spec());
  EXPECT_THROW(writer.put("W", std::vector<double>(kNodes)), Error);
  EXPECT_THROW(writer.put("V", std::vector<float>(kNodes)), Error);
  EXPECT_THROW(writer.put("V", std::vector<double>(kNodes - 1)), Error);
  SeriesSpec bad = spec();
  bad.options.budget_bytes = 100;
  EXPECT_THROW(SeriesWriter::create(alone_, path_, bad), Error);
  bad = spec();
  bad.fields[0].components = {"a", "b"};
  EXPECT_THROW(SeriesWriter::create(alone_, path_, bad), Error);
}

}  // namespace
}  // namespace weft
