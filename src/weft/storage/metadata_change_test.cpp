#include "weft/storage/metadata_change.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

class MetadataChangeTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-metadata-change-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  SeriesCatalog catalog_;

  void SetUp() override {
    std::filesystem::create_directories(folder_);
    FilePlan plan;
    plan.fields.push_back({{"V", DataType::float64, {10}, Support::nodes, "mV", ""}, {4, 3}, {}});
    plan.segment_steps = 8;
    catalog_ = create_series_file(path_, plan);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

TEST_F(MetadataChangeTest, AChangeThatFailsLeavesTheFileAsItWas) {
  const std::string before = bytes();
  EXPECT_THROW(change_metadata(catalog_,
                               [&](hid_t file) -> SeriesCatalog {
                                 H5Ldelete(file, "/V", H5P_DEFAULT);
                                 throw Error(ErrorKind::system, "", "on the way");
                               }),
               Error);
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(files(), 1U) << "and nothing beside it";
}

TEST_F(MetadataChangeTest, NothingToUndo) {
  EXPECT_FALSE(undo_metadata_change(path_));
  add_room(catalog_, 8);
  EXPECT_FALSE(undo_metadata_change(path_));
  EXPECT_EQ(files(), 1U);
}

TEST_F(MetadataChangeTest, ADamagedUndoFileIsNotTrusted) {
  const std::string before = bytes();
  std::ofstream(path_ + ".weft-undo") << "not CBOR";
  EXPECT_THROW(undo_metadata_change(path_), Error);
  EXPECT_EQ(bytes(), before);
}

TEST_F(MetadataChangeTest, ANewFileTakesNoUndoFileOver) {
  // It belongs to the file that was there before.
  std::ofstream(path_ + ".weft-undo") << "of another file";
  FilePlan plan;
  plan.segment_steps = 3;
  create_series_file(path_, plan);
  EXPECT_FALSE(undo_metadata_change(path_));
}

}  // namespace
}  // namespace weft::storage
