#include "weft/storage/durable_name.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

namespace fs = std::filesystem;

class DurableNameTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "other"); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string with(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string text_of(const std::string& path) {
    std::string text;
    std::ifstream(path) >> text;
    return text;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("durable-name-" + std::to_string(::getpid()));
};

TEST_F(DurableNameTest, ReplacesInOneFolderAndAcrossTwo) {
  const std::string to = with("to", "old");
  replace_name(with("from", "new"), to);
  EXPECT_EQ(text_of(to), "new");
  EXPECT_FALSE(fs::exists(folder_ / "from"));
  replace_name(with("other/from", "newer"), to);
  EXPECT_EQ(text_of(to), "newer");
  EXPECT_THROW(replace_name(folder_ / "none", to), Error);
  EXPECT_EQ(text_of(to), "newer");
}

TEST_F(DurableNameTest, RemovesAndSaysWhetherThereWasOne) {
  const std::string path = with("file", "text");
  EXPECT_TRUE(remove_name(path));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(remove_name(path));
  EXPECT_FALSE(remove_name(folder_ / "no-folder/file"));
}

TEST_F(DurableNameTest, TellsWhatCannotBeRemoved) {
  // unlink() of a folder is refused for root, too
  try {
    remove_name(folder_ / "other");
    FAIL() << "removed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    EXPECT_NE(std::string(error.what()).find("other: cannot be removed: "), std::string::npos) << error.what();
  }
}

TEST_F(DurableNameTest, NamesWithoutAFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  with("from", "new");
  replace_name("from", "to");
  sync_name("to");
  EXPECT_TRUE(remove_name("to"));
  fs::current_path(before);
}

}  // namespace
}  // namespace weft::storage
