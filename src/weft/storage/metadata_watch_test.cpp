#include "weft/storage/metadata_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

using namespace std::chrono_literals;

class MetadataWatchTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-metadata-watch-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  SeriesCatalog catalog_;
  int looks_ = 0;

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    FilePlan plan;
    plan.segment_steps = 100;
    plan.commit_slots = 1;
    catalog_ = create_series_file(path_, plan);
    write_new_writer(*open_store(path_, OpenMode::write), catalog_, {{0}, {0}, {}});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  WriterLock locked() const { return WriterLock::take(path_, {"a test"}); }
  Error damaged() const { return {ErrorKind::data, path_, "is damaged", "copy it again"}; }
};

TEST_F(MetadataWatchTest, AFileThatNobodyWritesIsLookedAtOnce) {
  look_until_whole(path_, [&] { return ++looks_ > 0; });
  EXPECT_EQ(looks_, 1);
  EXPECT_THROW(look_until_whole(path_,
                                [&]() -> bool {
                                  ++looks_;
                                  throw damaged();
                                }),
               Error);
  EXPECT_EQ(looks_, 2);
}

TEST_F(MetadataWatchTest, SoIsOneWhoseWriterAddsSteps) {
  const WriterLock lock = locked();
  look_until_whole(path_, [&] {
    std::ofstream(path_, std::ios::app) << "values";
    return ++looks_ > 0;
  });
  EXPECT_EQ(looks_, 1);
  EXPECT_THROW(look_until_whole(path_,
                                [&]() -> bool {
                                  ++looks_;
                                  throw Error(ErrorKind::usage, path_, "has no such field");
                                }),
               Error);
  EXPECT_EQ(looks_, 2) << "nobody waits for ten seconds to be told of a wrong name";
}

TEST_F(MetadataWatchTest, TheEndOfAChangeIsWaitedFor) {
  const WriterLock lock = locked();
  begin_change(catalog_);
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    std::this_thread::sleep_for(50ms);
    ended = true;
    end_change(catalog_);
  });
  bool saw_the_new = false;
  look_until_whole(path_, [&] {
    saw_the_new = ended;
    if (!ended) throw damaged();
    return true;
  });
  writer.join();
  EXPECT_TRUE(saw_the_new);
}

TEST_F(MetadataWatchTest, WhatWasChangedDuringALookIsLookedAtAgain) {
  const WriterLock lock = locked();
  look_until_whole(path_, [&] {
    if (++looks_ == 1) {
      begin_change(catalog_);
      end_change(catalog_);
    }
    return true;
  });
  EXPECT_EQ(looks_, 2);
}

TEST_F(MetadataWatchTest, SoIsWhatAWriterChangedWhoCameAndWent) {
  look_until_whole(path_, [&] {
    if (++looks_ == 1) {
      const WriterLock lock = locked();
      begin_change(catalog_);
      end_change(catalog_);
    }
    return true;
  });
  EXPECT_EQ(looks_, 2);
}

TEST_F(MetadataWatchTest, AFileOfAnotherProgramThatIsAddedToAllTheTimeIsReadAllTheSame) {
  look_until_whole(path_, [&] {
    std::ofstream(path_, std::ios::app) << "values";
    return ++looks_ > 0;
  });
  EXPECT_EQ(looks_, 2);
}

TEST_F(MetadataWatchTest, AChangeThatWasCutShortIsNamed) {
  std::ofstream(path_ + ".weft-undo") << "what was there";
  try {
    look_until_whole(path_, [&]() -> bool { throw damaged(); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("was interrupted; weft recover undoes it"));
  }
}

}  // namespace
}  // namespace weft::storage
