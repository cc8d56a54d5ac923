#include "weft/storage/scratch_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "weft/storage/byte_store.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

constexpr std::uint64_t kMany = 1ULL << 40;

class ScratchFileTest : public testing::Test {
 protected:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("weft-scratch-" + std::to_string(getpid()));
  std::string place_ = (folder_ / "a.h5.weft-rehearsal").string();

  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What is written far behind is read again, by another opening.
  static void expect_holds_bytes(const ScratchFile& file) {
    const std::array word{std::byte{1}, std::byte{2}};
    const auto first = open_store(file.path(), OpenMode::write);
    EXPECT_EQ(first->size(), 0U);
    first->write_at(kMany, Bytes(word));
    first->close();
    std::array<std::byte, 2> read{};
    const auto second = open_store(file.path(), OpenMode::read);
    EXPECT_EQ(second->size(), kMany + 2);
    second->read_at(kMany, MutableBytes(read));
    EXPECT_EQ(read, word);
  }
};

TEST_F(ScratchFileTest, LittleIsInMemory) {
  const ScratchFile one(place_, 1 << 20);
  const ScratchFile other(place_, 1 << 20);
  EXPECT_NE(one.path(), place_);
  EXPECT_NE(one.path(), other.path());
  expect_holds_bytes(one);
  expect_holds_bytes(other);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ScratchFileTest, MuchIsInAFileThatGoes) {
  open_store(place_, OpenMode::create)->write_at(0, Bytes(std::array{std::byte{7}}));  // of a run that was killed
  {
    const ScratchFile file(place_, kMany);
    EXPECT_EQ(file.path(), place_);
    expect_holds_bytes(file);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_THROW(ScratchFile((folder_ / "no" / "such").string(), kMany), Error);
}

}  // namespace
}  // namespace weft::storage
