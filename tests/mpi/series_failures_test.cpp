// What goes wrong on one rank is told to all of them, at the same place and in the same words; what was committed
// before stays exact.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <filesystem>

#include <cerrno>

#include "series_fixture.hpp"
#include "weft/storage/wrapped_stores.hpp"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SeriesFailuresTest : public testing::Test {
 protected:
  MpiCommunicator comm_{MPI_COMM_WORLD};
  int culprit_ = comm_.size() - 1;  // the rank on which it goes wrong
  bool mine_ = comm_.rank() == culprit_;
  std::string path_ = file_name();

  // Chunks and budget so small that every rank owns some, and writes in many windows.
  std::vector<FieldSpec> fields() {
    std::vector<FieldSpec> fields;
    fields.push_back(field_of("V", DataType::float64, {101}, in_turn({101}, comm_.rank(), comm_.size())));
    fields.push_back(
        field_of("u", DataType::float32, {64, 3}, partition::even_nodes({64, 3}, comm_.rank(), comm_.size())));
    fields[0].layout.kind = fields[1].layout.kind = LayoutKind::given;
    fields[0].layout.chunk = {4, 5};
    fields[1].layout.chunk = {4, 4, 3};
    return fields;
  }

  SeriesSpec spec() {
    SeriesSpec spec;
    spec.steps = 24;
    spec.fields = fields();
    spec.options.budget_bytes = 20 << 10;
    return spec;
  }

  // All ranks have the same text.
  void expect_same_everywhere(const std::string& text) {
    std::vector<std::byte> first;
    for (const char c : text) first.push_back(static_cast<std::byte>(c));
    comm_.broadcast(first, 0);
    EXPECT_EQ(text, std::string(reinterpret_cast<const char*>(first.data()), first.size()));
  }

  // Runs `action` on all ranks; every one must end with the same agreed error, whose line is returned.
  std::string agreed_error(const std::function<void()>& action) {
    std::string line = "no error";
    try {
      action();
    } catch (const Error& error) {
      line = error.what();
      EXPECT_TRUE(error.is_agreed()) << line;
    }
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    expect_same_everywhere(line);
    return line;
  }

  void expect_committed_exact(std::uint64_t at_least = 0) {
    meet();
    if (comm_.rank() == 0 && (at_least > 0 || std::filesystem::exists(path_))) {  // else it was not made
      const std::uint64_t committed = committed_in(path_);
      EXPECT_GE(committed, at_least);
      expect_steps(path_, fields(), committed);
    }
    meet();
  }
};

// On a node each, so that every rank raises a slot.
class FullDiskTest : public SeriesFailuresTest, public testing::WithParamInterface<Strategy> {
 protected:
  void SetUp() override {
    ::setenv("WEFT_RANKS_PER_NODE", "1", 1);
    SeriesFailuresTest::SetUp();
  }
  void TearDown() override {
    SeriesFailuresTest::TearDown();
    ::unsetenv("WEFT_RANKS_PER_NODE");
  }
};

TEST_P(FullDiskTest, OnOneRankEndsAllWithTheSameLine) {
  MpiOptions options;
  options.strategy = GetParam();
  for (const std::uint64_t fatal : {0U, 1U, 2U, 3U, 5U, 8U, 13U}) {
    if (GetParam() == Strategy::cached && fatal > 5) break;  // 24 steps are 6 rows of chunks, a slot write each
    SCOPED_TRACE(testing::Message() << "write " << fatal << " of rank " << culprit_);
    SeriesSpec full = spec();
    // What reaches the store below is all the owner strategy writes; of the others it is times and slots.
    full.options.wrap_store = [&](std::unique_ptr<storage::ByteStore> store) {
      return storage::failing_store(std::move(store), [=, this](std::uint64_t write, std::uint64_t) {
        return mine_ && write >= fatal ? ENOSPC : 0;
      });
    };
    const std::string line = agreed_error([&] {
      SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, full, options);
      write_steps(writer, full.fields, 24);
      writer.close();
    });
    EXPECT_THAT(line, AllOf(HasSubstr("No space left on device"), HasSubstr(path_)));
    if (comm_.size() > 1) {
      EXPECT_THAT(line, HasSubstr(fmt::format("rank {}: ", culprit_)));
    }
    expect_committed_exact();
  }
}

TEST_P(FullDiskTest, ClosingAfterwardsSaysItAgain) {
  MpiOptions options;
  options.strategy = GetParam();
  SeriesSpec full = spec();
  full.options.wrap_store = [&](std::unique_ptr<storage::ByteStore> store) {
    return storage::failing_store(
        std::move(store), [this](std::uint64_t write, std::uint64_t) { return mine_ && write >= 4 ? ENOSPC : 0; });
  };
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, full, options);
  const std::string line = agreed_error([&] {
    write_steps(writer, full.fields, 24);
    writer.close();
  });
  EXPECT_THAT(line, HasSubstr("No space left on device"));
  try {
    writer.close();  // may say it again or have nothing to say, but comes back
  } catch (const Error& error) {
    EXPECT_TRUE(error.is_agreed());
  }
  expect_committed_exact();
}

INSTANTIATE_TEST_SUITE_P(Strategies, FullDiskTest,
                         testing::Values(Strategy::owner, Strategy::cached, Strategy::per_step), [](const auto& test) {
                           std::string name(name_of(test.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_F(SeriesFailuresTest, ARankThatOwnsNoChunkWritesNothing) {
  // One chunk for all: it is rank 0's, and so are the times and the slots that say that the others are idle.
  SeriesSpec full = spec();
  full.fields = {field_of("V", DataType::float64, {4}, partition::even_nodes({4}, comm_.rank(), comm_.size()))};
  full.options.budget_bytes = 1 << 20;
  full.options.wrap_store = [this](std::unique_ptr<storage::ByteStore> store) {
    return storage::failing_store(std::move(store),
                                  [this](std::uint64_t, std::uint64_t) { return mine_ ? ENOSPC : 0; });
  };
  if (comm_.size() == 1) {
    const std::string line = agreed_error([&] { create_series(MPI_COMM_WORLD, path_, full); });
    EXPECT_THAT(line, HasSubstr("No space left on device"));
    return;
  }
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, full);
  write_steps(writer, full.fields, 5);
  writer.close();
  meet();
  if (comm_.rank() == 0) {
    EXPECT_EQ(committed_in(path_), 5U);
  }
  meet();
}

// A wrong put() of V on one rank: what it is told at once, and, where no right one follows, what all are told later.
struct WrongPut {
  std::string name;
  std::function<void(SeriesWriter&, std::uint64_t)> put;  // given the right number of values of V
  std::vector<std::string> words;                         // of the line
};

// What the rank is told.
std::string refused(const WrongPut& wrong, SeriesWriter& writer, std::uint64_t values) {
  try {
    wrong.put(writer, values);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_FALSE(error.is_agreed());
    return error.what();
  }
  return "nothing";
}

class WrongPutTest : public SeriesFailuresTest, public testing::WithParamInterface<WrongPut> {};

TEST_P(WrongPutTest, IsToldAtOnceAndLaterToAll) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 10);
  const std::uint64_t values = right.fields[0].owned.local_elements();
  std::string at_once;
  const std::string later = agreed_error([&] {
    if (!mine_) put_step(writer, {right.fields[0]}, 10);
    writer.put_bytes("u", right.fields[1].type, local_values(right.fields[1], 1, 10));
    if (mine_) at_once = refused(GetParam(), writer, values);
    writer.end_step(time_of(10));
    write_steps(writer, right.fields, 24);
    writer.close();
  });
  if (mine_) {
    for (const std::string& words : GetParam().words) EXPECT_THAT(at_once, HasSubstr(words));
    EXPECT_THAT(at_once, HasSubstr(path_));
  }
  if (comm_.size() == 1) {
    EXPECT_THAT(later, HasSubstr("step 10 ends without field V"));
    EXPECT_THAT(agreed_error([&] { writer.close(); }), HasSubstr("close() in the middle of step 10"));
    return expect_committed_exact(10);
  }
  for (const std::string& words : GetParam().words) EXPECT_THAT(later, HasSubstr(words));
  if (mine_) {
    EXPECT_THAT(later, HasSubstr(at_once));
  }
  expect_committed_exact();
}

TEST_P(WrongPutTest, ARightOneAfterItEndsTheStep) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 10);
  if (mine_) refused(GetParam(), writer, right.fields[0].owned.local_elements());
  write_steps(writer, right.fields, 23);
  if (mine_) refused(GetParam(), writer, right.fields[0].owned.local_elements());
  write_steps(writer, right.fields, 24);
  writer.close();
  expect_committed_exact(24);
}

// The rank that is leaving does not leave the others behind in end_step().
TEST_P(WrongPutTest, ARankThatClosesAfterItIsToldWithAll) {
  if (comm_.size() == 1) GTEST_SKIP() << "there is nobody to tell";
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 10);
  const std::string later = agreed_error([&] {
    if (mine_) {
      refused(GetParam(), writer, right.fields[0].owned.local_elements());
    } else {
      write_steps(writer, right.fields, 24);
    }
    writer.close();
  });
  for (const std::string& words : GetParam().words) EXPECT_THAT(later, HasSubstr(words));
  expect_committed_exact();
}

INSTANTIATE_TEST_SUITE_P(
    Puts, WrongPutTest,
    testing::Values(WrongPut{"UnknownField",
                             [](SeriesWriter& w, std::uint64_t n) { w.put("Vm", std::vector<double>(n)); },
                             {"put(\"Vm\")", "no such field", "V, u"}},
                    WrongPut{"Time",
                             [](SeriesWriter& w, std::uint64_t) { w.put("time", std::vector<double>(1)); },
                             {"put(\"time\")", "no such field"}},
                    WrongPut{"WrongType",
                             [](SeriesWriter& w, std::uint64_t n) { w.put("V", std::vector<float>(n)); },
                             {"put(\"V\")", "float32", "float64"}},
                    WrongPut{"TooFew",
                             [](SeriesWriter& w, std::uint64_t n) { w.put("V", std::vector<double>(n - 1)); },
                             {"put(\"V\")", "values, this rank holds"}},
                    WrongPut{"TooMany",
                             [](SeriesWriter& w, std::uint64_t n) { w.put("V", std::vector<double>(n + 1)); },
                             {"put(\"V\")", "values, this rank holds"}}),
    [](const auto& test) { return test.param.name; });

TEST_F(SeriesFailuresTest, AFieldThatIsPutTwiceIsRefusedAndTheFirstOneStays) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  put_step(writer, right.fields, 0);
  const WrongPut twice{"Twice", [](SeriesWriter& w, std::uint64_t n) { w.put("V", std::vector<double>(n)); }, {}};
  if (mine_) {
    EXPECT_THAT(refused(twice, writer, right.fields[0].owned.local_elements()), HasSubstr("was put in step 0 already"));
  }
  writer.end_step(time_of(0));
  write_steps(writer, right.fields, 24);
  writer.close();
  expect_committed_exact(24);
}

TEST_F(SeriesFailuresTest, RanksThatDeclareDifferentSeriesAreAllTold) {
  if (comm_.size() == 1) GTEST_SKIP() << "there is nobody to differ from";
  const auto creating = [&](const std::function<void(SeriesSpec&)>& change) {
    SeriesSpec wrong = spec();
    if (comm_.rank() == comm_.size() - 1) change(wrong);
    return agreed_error([&] { create_series(MPI_COMM_WORLD, path_, wrong); });
  };
  const auto more = [](SeriesSpec& s) { s.fields.push_back({.name = "w", .support = Support::global}); };
  EXPECT_THAT(creating(more), AllOf(HasSubstr(path_), HasSubstr("declares field 'w'"), HasSubstr("rank 0 declares")));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.fields.pop_back(); }), HasSubstr("where rank 0 declares field 'u'"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.mesh = MeshSpec{.points = 10}; }), HasSubstr("a mesh of 10 points"));
  const auto no_sync = [](SeriesSpec& s) { s.options.sync = Sync::none; };
  EXPECT_THAT(creating(no_sync), HasSubstr("declares sync none, where rank 0 declares sync commit"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.options.commit_steps = 3; }), HasSubstr("60 s and 3 steps"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.fields[1].name = "W"; }), HasSubstr("field 'W'"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.fields[1].type = DataType::int64; }), HasSubstr("int64"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.steps = 7; }), HasSubstr("7 steps"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.steps.reset(); }), HasSubstr("an unknown number of steps"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.grid.shape = {2, 3}; }), HasSubstr("a grid of 2x3"));
}

TEST_F(SeriesFailuresTest, AStepWithoutAField) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 7);
  const std::string line = agreed_error([&] {
    writer.put_bytes("V", DataType::float64, local_values(right.fields[0], 0, 7));
    if (!mine_) writer.put_bytes("u", DataType::float32, local_values(right.fields[1], 1, 7));
    writer.end_step(time_of(7));
    writer.close();
  });
  EXPECT_THAT(line, AllOf(HasSubstr("step 7 ends without field u"), HasSubstr(path_)));
  expect_committed_exact();
}

TEST_F(SeriesFailuresTest, ClosingInTheMiddleOfAStep) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 7);
  const std::string line = agreed_error([&] {
    if (mine_) writer.put_bytes("V", DataType::float64, local_values(right.fields[0], 0, 7));
    writer.close();
  });
  EXPECT_THAT(line, HasSubstr("close() in the middle of step 7"));
  expect_committed_exact();
}

TEST_F(SeriesFailuresTest, MoreStepsThanWereDeclared) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 24);
  try {
    put_step(writer, right.fields, 24);
    FAIL() << "a 25th step was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the series has 24 steps and they are all written"));
  }
  agreed_error([&] { writer.close(); });
  expect_committed_exact();
}

TEST_F(SeriesFailuresTest, NothingCanFollowClose) {
  const SeriesSpec right = spec();
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
  write_steps(writer, right.fields, 5);
  writer.close();
  writer.close();  // nothing more to do
  EXPECT_THROW(put_step(writer, right.fields, 5), Error);
  EXPECT_THROW(writer.end_step(0), Error);
  expect_committed_exact(5);
}

TEST_F(SeriesFailuresTest, AWriterThatIsDroppedLeavesTheCommittedSteps) {
  const SeriesSpec right = spec();
  {
    SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, right);
    write_steps(writer, right.fields, 23);
  }
  expect_committed_exact(1);
}

TEST_F(SeriesFailuresTest, SpecsThatCannotBe) {
  const auto creating = [&](const std::function<void(SeriesSpec&)>& change) {
    SeriesSpec wrong = spec();
    change(wrong);
    return agreed_error([&] { create_series(MPI_COMM_WORLD, path_, wrong); });
  };
  EXPECT_THAT(creating([](SeriesSpec& s) { s.steps = 0; }), HasSubstr("0 steps"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.fields[0].per_step = {0}; }), HasSubstr("field V"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.fields[1].name = "V"; }), HasSubstr("the name 'V' is taken"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.fields[0].name = "a/b"; }), HasSubstr("cannot name a field"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.grid.shape = {3, 1, 1, 1}; }), HasSubstr("the grid: has 4 axes"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.grid.shape = {3, 0}; }), HasSubstr("has no point"));
  EXPECT_THAT(creating([](SeriesSpec& s) {
                s.grid.shape = {3, 1};
                s.grid.spacing[1] = 0;
              }),
              HasSubstr("points 0 apart"));
  EXPECT_THAT(creating([](SeriesSpec& s) { s.options.budget_bytes = 10; }), HasSubstr("--budget"));
  EXPECT_THAT(creating([this](SeriesSpec&) { path_ = "no-such-folder/a.h5"; }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace weft::test
