#include "weft/storage/undo_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "weft/storage/metadata_change.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

namespace fs = std::filesystem;

// A file of before, the record of a change to it, and the file of after.
class UndoFileTest : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / ("weft-undo-file-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  std::string before_;
  std::string after_;

  void SetUp() override {
    fs::create_directories(folder_);
    make(path_, 10);
    before_ = read(path_);
    add_room(read_catalog(path_), 8);
    after_ = read(path_);
    ASSERT_GT(after_.size(), before_.size());
    UndoRecord record = record_of(path_);
    record.size = before_.size();
    for (std::size_t at = 0; at < before_.size(); at += 512) {
      const std::size_t bytes = std::min<std::size_t>(512, before_.size() - at);
      if (before_.compare(at, bytes, after_, at, bytes) == 0) continue;
      record.ranges.push_back({at, bytes_of(before_.substr(at, bytes)), bytes_of(after_.substr(at, bytes))});
    }
    ASSERT_GT(record.ranges.size(), 1U);
    save_undo(path_, record);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void make(const std::string& path, std::uint64_t nodes) {
    FilePlan plan;
    plan.fields.push_back({{"V", DataType::float64, {nodes}, Support::nodes, "mV", ""}, {4, 3}, {}});
    plan.segment_steps = 8;
    create_series_file(path, plan);
  }
  static std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  bool undo_is_there() const { return fs::exists(undo_path(path_)); }
  void expect_refused(const std::string& bytes, const std::string& words) const {
    put(bytes);
    const std::string undo = read(undo_path(path_));
    for (const bool look : {true, false}) {
      try {
        look ? static_cast<void>(interrupted_change(path_)) : static_cast<void>(undo_metadata_change(path_));
        FAIL() << "taken";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data);
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("remove it if " + path_ + " is the one you want"), std::string::npos)
            << error.what();
      }
    }
    EXPECT_TRUE(read(path_) == bytes) << "it is not touched";
    EXPECT_TRUE(read(undo_path(path_)) == undo);
  }
  // As Weft 0.1 wrote it.
  void first_version() const {
    const UndoRecord record = *load_undo(path_);
    nlohmann::json undo = {{"size", record.size}, {"ranges", nlohmann::json::array()}};
    for (const Overwritten& range : record.ranges) {
      const auto* data = reinterpret_cast<const std::uint8_t*>(range.before.data());
      undo["ranges"].push_back(
          {{"at", range.at}, {"bytes", nlohmann::json::binary({data, data + range.before.size()})}});
    }
    const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(undo);
    std::ofstream(undo_path(path_), std::ios::binary)
        << std::string(reinterpret_cast<const char*>(cbor.data()), cbor.size());
  }
  // The file with the first so many of the changed pages written, and `bytes` of the next.
  std::string torn(std::size_t pages, std::size_t bytes) const {
    const UndoRecord record = *load_undo(path_);
    std::string file = before_ + after_.substr(before_.size());
    for (std::size_t i = 0; i < pages; ++i) {
      const Overwritten& range = record.ranges[i];
      file.replace(range.at, range.before.size(), after_, range.at, range.before.size());
    }
    const Overwritten& next = record.ranges[pages];
    return file.replace(next.at, bytes, after_, next.at, bytes);
  }
};

TEST_F(UndoFileTest, WhatWasSavedIsRead) {
  const UndoRecord record = *load_undo(path_);
  EXPECT_EQ(record.size, before_.size());
  EXPECT_EQ(record.new_size, after_.size());
  EXPECT_EQ(record.inode, record_of(path_).inode);
  EXPECT_TRUE(record.knows_after);
}

TEST_F(UndoFileTest, TornAnywhere) {
  const std::size_t pages = load_undo(path_)->ranges.size();
  const std::string undo = read(undo_path(path_));
  for (std::size_t page = 0; page < pages; ++page) {
    for (const std::size_t bytes : {0U, 12U, 45U, 300U}) {
      for (const bool elsewhere : {false, true}) {  // copied with its undo file: another inode
        std::ofstream(undo_path(path_), std::ios::binary) << undo;
        const std::string file = torn(page, bytes);
        if (file == after_) continue;  // what follows in the last page is the same
        if (elsewhere) fs::remove(path_);
        put(file);
        EXPECT_EQ(interrupted_change(path_), UndoState::part);
        EXPECT_TRUE(undo_metadata_change(path_));
        EXPECT_TRUE(read(path_) == before_);
        EXPECT_FALSE(undo_is_there());
      }
    }
  }
}

TEST_F(UndoFileTest, AChangeThatHadEndedStays) {
  EXPECT_EQ(interrupted_change(path_), UndoState::after);
  EXPECT_FALSE(undo_metadata_change(path_));
  EXPECT_TRUE(read(path_) == after_);
  EXPECT_FALSE(undo_is_there());
}

TEST_F(UndoFileTest, TheFileOfBeforeHasNothingToUndo) {
  for (const bool old : {false, true}) {
    if (old) SetUp(), first_version();
    put(before_);
    EXPECT_EQ(interrupted_change(path_), UndoState::before);
    EXPECT_FALSE(undo_metadata_change(path_));
    EXPECT_TRUE(read(path_) == before_);
    EXPECT_FALSE(undo_is_there());
  }
}

TEST_F(UndoFileTest, OtherFilesAreRefused) {
  const std::string other = (folder_ / "b.h5").string();
  make(other, 400);
  const std::string longer = read(other);
  ASSERT_GT(longer.size(), before_.size());
  expect_refused(longer, "does not match its file");  // written over it: the same inode
  expect_refused("", "does not match");
  expect_refused(before_ + after_.substr(before_.size()) + "more", "does not match");
  fs::rename(other, path_);
  expect_refused(longer, "is of another file");
  // Sound, and changed once more since.
  put(after_);
  const std::string undo = read(undo_path(path_));
  fs::remove(undo_path(path_));
  add_room(read_catalog(path_), 16);
  std::ofstream(undo_path(path_), std::ios::binary) << undo;
  expect_refused(read(path_), "is of another file");
}

TEST_F(UndoFileTest, OfTheFirstVersion) {
  first_version();
  // A file that opens as it is may be of after, or a backup: nobody can tell, and it needs no help.
  expect_refused(after_, "remove it if");
  const std::string other = (folder_ / "b.h5").string();
  make(other, 400);
  expect_refused(read(other), "is of another file");
  expect_refused(before_.substr(0, before_.size() - 1), "is of another file");
  put(torn(0, 45));  // the superblock is torn
  EXPECT_EQ(interrupted_change(path_), UndoState::part);
  EXPECT_TRUE(undo_metadata_change(path_));
  EXPECT_TRUE(read(path_) == before_);
}

TEST_F(UndoFileTest, DamagedInAnyByte) {
  const std::string undo = read(undo_path(path_));
  put(torn(1, 100));
  const std::string file = read(path_);
  for (std::size_t at = 0; at < undo.size(); at += 97) {
    std::string damaged = undo;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(undo_path(path_), std::ios::binary) << damaged;
    EXPECT_THROW(undo_metadata_change(path_), Error) << "byte " << at;
    std::ofstream(undo_path(path_), std::ios::binary) << undo.substr(0, at);
    EXPECT_THROW(undo_metadata_change(path_), Error) << "cut at " << at;
    ASSERT_TRUE(read(path_) == file);
  }
}

TEST_F(UndoFileTest, NoChangeBesideOneThatWasCutShort) {
  put(torn(1, 0));
  const std::string undo = read(undo_path(path_));
  SeriesCatalog catalog;
  catalog.path = path_;
  EXPECT_THROW(change_metadata(catalog, [&](hid_t) { return catalog; }), Error);
  EXPECT_TRUE(read(undo_path(path_)) == undo);
}

}  // namespace
}  // namespace weft::storage
