// A reader beside a writer: another process makes a growing series, again and again, and this one looks at it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "weft/reading/series_reader.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/support/error.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kFollowedNodes = 37;
constexpr std::uint64_t kStepsOfARun = 4000;

double followed_value(std::uint64_t step, std::uint64_t node) {
  return 1e4 * static_cast<double>(step + 1) + static_cast<double>(node);
}

// Segments of a few steps at first, so that the file's metadata change often; every step is committed at once.
[[noreturn]] void write_for_ever(const std::string& path) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto alone = std::make_shared<SelfCommunicator>();
  SeriesSpec spec;
  spec.options.commit_steps = 1;
  spec.options.sync = Sync::none;
  FieldSpec field{.name = "V", .per_step = {kFollowedNodes}};
  field.owned = partition::Ownership::all({kFollowedNodes});
  field.layout = {.kind = LayoutKind::given, .chunk = {4, 16}};
  spec.fields = {field};
  std::vector<double> values(kFollowedNodes);
  while (true) {
    SeriesWriter writer = SeriesWriter::create(alone, path, spec);
    for (std::uint64_t step = 0; step < kStepsOfARun; ++step) {
      for (std::uint64_t n = 0; n < kFollowedNodes; ++n) values[n] = followed_value(step, n);
      writer.put("V", values);
      writer.end_step(static_cast<double>(step));
    }
    writer.close();
  }
}

class SeriesFollowTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    writer_ = ::fork();
    if (writer_ == 0) write_for_ever(path_);
    while (!std::filesystem::exists(path_)) ::usleep(1000);
  }
  void TearDown() override {
    ::kill(writer_, SIGKILL);
    ::waitpid(writer_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }

  static void expect_right(const SeriesReader& reader, std::uint64_t node) {
    const std::vector<double> times = reader.times();
    const auto trace = reader.trace<double>("V", node);
    ASSERT_EQ(times.size(), reader.committed());
    ASSERT_EQ(trace.size(), reader.committed());
    for (std::uint64_t step = 0; step < reader.committed(); ++step) {
      ASSERT_EQ(times[step], static_cast<double>(step));
      ASSERT_EQ(trace[step], followed_value(step, node)) << "step " << step << " of " << reader.committed();
    }
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-series-follow-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  pid_t writer_ = 0;
};

TEST_F(SeriesFollowTest, EveryLookShowsCommittedStepsAloneAndAllOfThemRight) {
  const int looks = std::getenv("WEFT_THOROUGH") != nullptr ? 10'000 : 200;
  ReadOptions options;
  options.access = layout::AccessCost{};  // else every look would measure
  std::uint64_t most = 0;
  int replaced = 0;
  for (int look = 0; look < looks; ++look) {
    SeriesReader reader = SeriesReader::open(path_, options);
    expect_right(reader, static_cast<std::uint64_t>(look) % kFollowedNodes);
    if (HasFatalFailure()) return;
    const std::uint64_t before = reader.committed();
    try {
      reader.reload();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("has been replaced"));
      ++replaced;
      continue;
    }
    EXPECT_GE(reader.committed(), before) << "a reader stays with the file that it has opened";
    expect_right(reader, 0);
    if (HasFatalFailure()) return;
    most = std::max(most, reader.committed());
  }
  EXPECT_GT(most, kStepsOfARun / 2);
  EXPECT_GT(replaced, 0);

  EXPECT_LT(replaced, looks);
}

}  // namespace
}  // namespace weft
