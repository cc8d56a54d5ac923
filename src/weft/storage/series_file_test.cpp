#include "weft/storage/series_file.hpp"
#include "weft/storage/series_changes.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "weft/storage/byte_store.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

class SeriesFileTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-series-file-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static FilePlan plan() {
    FilePlan plan;
    plan.fields.push_back(
        {{"V", DataType::float64, {10, 2}, Support::nodes, "mV", "{}"}, {4, 3, 2}, {{"colour", 3.5}}});
    plan.fields.push_back({{"flag", DataType::uint8, {7}, Support::cells, "", ""}, {6, 7}, {}});
    plan.fixed_arrays.push_back({"/mesh/points", DataType::float64, {10, 3}, {}});
    plan.time_units = "ms";
    plan.segment_steps = 9;
    plan.commit_slots = 3;
    return plan;
  }

  // Element (step, node, component) of V through HDF5's own reader.
  static std::vector<double> read_v(const std::string& path, std::vector<hsize_t>& extents) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "/V", H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    extents.resize(3);
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    std::vector<double> values(extents[0] * extents[1] * extents[2]);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return values;
  }

  // Writes V(step, node, c) = 1000 step + 10 node + c at the addresses of the catalog, element by element.
  static void fill(const SeriesCatalog& catalog) {
    const auto store = open_store(catalog.path, OpenMode::write);
    for (const SegmentEntry& segment : catalog.segments) {
      const ArrayEntry& v = segment.fields[1];
      const std::uint64_t node_chunks = ceil_div(v.shape[1], v.chunk[1]);
      for (std::uint64_t s = 0; s < segment.steps; ++s) {
        for (std::uint64_t n = 0; n < 10; ++n) {
          for (std::uint64_t c = 0; c < 2; ++c) {
            const std::uint64_t chunk = s / v.chunk[0] * node_chunks + n / v.chunk[1];
            const std::uint64_t inside = (s % v.chunk[0] * v.chunk[1] + n % v.chunk[1]) * 2 + c;
            const auto value = static_cast<double>(1000 * (segment.first_step + s) + 10 * n + c);
            store->write_at(v.addresses.at(chunk) + 8 * inside, std::as_bytes(std::span(&value, 1)));
          }
        }
      }
    }
  }

  static void expect_filled(const std::string& path, std::uint64_t steps) {
    std::vector<hsize_t> extents;
    const std::vector<double> values = read_v(path, extents);
    ASSERT_EQ(extents, (std::vector<hsize_t>{steps, 10, 2}));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t step = i / 20, node = i / 2 % 10, component = i % 2;
      ASSERT_EQ(values[i], static_cast<double>(1000 * step + 10 * node + component)) << "element " << i;
    }
  }
};

TEST_F(SeriesFileTest, ACatalogReadBackEqualsTheOneThatWasCreated) {
  const SeriesCatalog made = create_series_file(path_, plan());
  const SeriesCatalog read = read_catalog(path_);
  EXPECT_EQ(to_bytes(made), to_bytes(read));
  EXPECT_EQ(to_bytes(catalog_from_bytes(to_bytes(made))), to_bytes(made));
  ASSERT_EQ(made.fields.size(), 3U);
  EXPECT_EQ(made.fields[0].name, "time");
  EXPECT_EQ(made.fields[0].units, "ms");
  EXPECT_EQ(made.fields[1].per_step, (Shape{10, 2}));
  EXPECT_EQ(made.fields[2].support, Support::cells);
  EXPECT_EQ(made.segments[0].fields[1].chunk, (Shape{4, 3, 2}));
  EXPECT_EQ(made.capacity(), 9U);
  EXPECT_NE(made.find_fixed("/mesh/points"), nullptr);
}

TEST_F(SeriesFileTest, WhatIsWrittenAtTheMapsAddressesIsWhatHdf5Reads) {
  fill(create_series_file(path_, plan()));
  expect_filled(path_, 9);
}

TEST_F(SeriesFileTest, RoomIsAddedToPlainDatasets) {
  SeriesCatalog catalog = create_series_file(path_, plan());
  fill(catalog);
  catalog = add_room(catalog, 16);
  catalog = add_room(catalog, 40);
  EXPECT_EQ(catalog.capacity(), 65U);
  EXPECT_EQ(catalog.segments.size(), 1U);
  EXPECT_TRUE(catalog.has_rooms());
  fill(catalog);
  expect_filled(path_, 65);
  catalog = set_length(catalog, 30);
  expect_filled(path_, 30);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".weft-rehearsal"));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".weft-undo"));
}

TEST_F(SeriesFileTest, BadPlansAndBadFilesGetOneLine) {
  FilePlan bad = plan();
  bad.fields[1].field.name = "V";
  EXPECT_THROW(create_series_file(path_, bad), Error);
  bad = plan();
  bad.fields[0].field.name = "a/b";
  EXPECT_THROW(create_series_file(path_, bad), Error);
  bad = plan();
  bad.segment_steps = 0;
  EXPECT_THROW(create_series_file(path_, bad), Error);
  EXPECT_THROW(read_catalog((folder_ / "absent.h5").string()), Error);
  EXPECT_THROW(read_catalog(folder_.string()), Error);
  EXPECT_THROW(create_series_file((folder_ / "no" / "such.h5").string(), plan()), Error);
  std::FILE* text = std::fopen(path_.c_str(), "w");
  std::fputs("not HDF5", text);
  std::fclose(text);
  EXPECT_THROW(read_catalog(path_), Error);
  const hid_t plain = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(plain);
  try {
    read_catalog(path_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("not a Weft file"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::storage
