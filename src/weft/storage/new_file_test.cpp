#include "weft/storage/new_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const LockWish kWish{"a test"};

class NewFileTest : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / ("weft-new-file-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(NewFileTest, AnOldFileStandsUntilTheNewOneIsWhole) {
  write(path_, "old");
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  {
    const NewFile left(path_, IfExists::replace, kWish);
    write(left.part(), "half");
    EXPECT_EQ(read(path_), "old");
  }
  EXPECT_EQ(read(path_), "old");
  EXPECT_EQ(files(), 1U);
  write(path_ + ".weft-part", "of a killed run");
  NewFile made(path_, IfExists::replace, kWish);
  EXPECT_FALSE(fs::exists(path_ + ".weft-part"));
  write(made.part(), "new");
  made.finish(true);
  EXPECT_EQ(read(path_), "new");
  EXPECT_EQ(files(), 1U);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST_F(NewFileTest, ALinkStaysOne) {
  fs::create_directory(folder_ / "far");
  const std::string far = (folder_ / "far" / "b.h5").string();
  fs::create_symlink("far/b.h5", path_);
  for (const char* text : {"first", "second"}) {  // where it leads nowhere, and to a file
    NewFile made(path_, IfExists::replace, kWish);
    EXPECT_EQ(made.part(), far + ".weft-part");
    write(made.part(), text);
    made.finish(false);
    EXPECT_TRUE(fs::is_symlink(path_));
    EXPECT_EQ(read(far), text);
  }
}

TEST_F(NewFileTest, AFileThatMustNotBeReplacedIsNot) {
  NewFile made(path_, IfExists::fail, kWish);
  write(made.part(), "new");
  write(path_, "made meanwhile");
  EXPECT_THAT(error_of([&] { made.finish(false); }), HasSubstr("exists already"));
  EXPECT_THAT(error_of([&] { NewFile(path_, IfExists::fail, kWish); }), HasSubstr("exists already"));
  EXPECT_EQ(read(path_), "made meanwhile");
}

TEST_F(NewFileTest, OfTwoThatMakeOneTheLaterIsRefusedAndTheFirstIsWhole) {
  NewFile made(path_, IfExists::replace, kWish);
  write(made.part(), "first");
  EXPECT_THAT(error_of([&] { NewFile(path_, IfExists::replace, kWish); }), HasSubstr("is being written by a test"));
  EXPECT_EQ(read(made.part()), "first");
  made.finish(false);
  EXPECT_EQ(read(path_), "first");
  NewFile again(path_, IfExists::replace, kWish);
  write(again.part(), "second");
  again.finish(false);
  EXPECT_EQ(read(path_), "second");
}

TEST_F(NewFileTest, WhatCannotBeAFileIsRefusedAtOnce) {
  EXPECT_THAT(error_of([&] { NewFile(folder_.string(), IfExists::replace, kWish); }), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of([&] { NewFile((folder_ / "no" / "such.h5").string(), IfExists::replace, kWish); }),
              HasSubstr("No such file"));
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace weft::storage
