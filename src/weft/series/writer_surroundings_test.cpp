// What happens around a writer: the program changes its folder, an observer fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "weft/reading/series_reader.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/series/window_observer.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kHeld = 100;

class FailingObserver final : public series::WindowObserver {
 public:
  std::vector<storage::FixedArrayPlan> arrays(const SeriesSpec& /*spec*/) override { return {}; }
  storage::ObjectPlan objects(const storage::SeriesCatalog& /*catalog*/) const override { return {}; }
  std::size_t field(const storage::SeriesCatalog& /*catalog*/) const override { return 1; }
  std::uint64_t start(const series::WatchedField& /*field*/, std::uint64_t /*allowance*/) override { return 0; }
  void see(const series::WatchedWindow& /*window*/) override {
    throw Error(ErrorKind::system, "an observer", "has no room left");
  }
  void finish(Communicator& /*comm*/, const storage::SeriesCatalog& /*catalog*/, storage::ByteStore& /*store*/,
              std::uint64_t /*steps*/) override {}
};

class WriterSurroundingsTest : public testing::TestWithParam<std::string> {
 protected:
  std::filesystem::path before_ = std::filesystem::current_path();
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-surroundings-" + std::to_string(getpid()));

  void SetUp() override {
    std::filesystem::create_directories(folder_ / "a");
    std::filesystem::create_directories(folder_ / "b");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  static SeriesSpec spec() {
    SeriesSpec spec;
    spec.fields = {FieldSpec{.name = "V", .per_step = {kHeld}, .owned = partition::Ownership::all({kHeld})}};
    spec.fields[0].filters = GetParam();
    return spec;
  }
  static SeriesWriter create(const std::string& path, const SeriesSpec& spec) {
    return SeriesWriter::create(std::make_shared<SelfCommunicator>(), path, spec);
  }
  static void write(SeriesWriter& writer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t step = from; step < to; ++step) {
      writer.put("V", std::vector<double>(kHeld, static_cast<double>(step)));
      writer.end_step(static_cast<double>(step));
    }
  }
};

TEST_P(WriterSurroundingsTest, AnotherFolderDoesNotLeadToAnotherFile) {
  std::filesystem::current_path(folder_ / "a");
  SeriesWriter first = create("r.h5", spec());
  write(first, 0, 3);
  std::filesystem::current_path(folder_ / "b");
  SeriesWriter second = create("r.h5", spec());
  write(second, 0, 5);
  second.flush();
  write(first, 3, 4);
  first.close();
  write(second, 5, 6);
  second.close();
  EXPECT_EQ(SeriesReader::open(folder_ / "a" / "r.h5").committed(), 4U);
  EXPECT_EQ(SeriesReader::open(folder_ / "b" / "r.h5").committed(), 6U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a" / "r.h5.weft-lock"));
}

TEST_P(WriterSurroundingsTest, WhatAnObserverThrowsIsTold) {
  SeriesSpec observed = spec();
  observed.observers.push_back(std::make_shared<FailingObserver>());
  SeriesWriter writer = create((folder_ / "o.h5").string(), observed);
  write(writer, 0, 3);
  try {
    writer.flush();
    FAIL() << "nothing was told";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("has no room left"));
  }
}

INSTANTIATE_TEST_SUITE_P(Filters, WriterSurroundingsTest, testing::Values("", "shuffle+deflate:1"),
                         [](const auto& filters) { return filters.param.empty() ? "plain" : "filtered"; });

}  // namespace
}  // namespace weft
