#include "weft/survey/checksums.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"

namespace weft::survey {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(ChecksumsTest, TheChecksumIsZlibs) {
  EXPECT_EQ(chunk_checksum(bytes_of("123456789")), 0xcbf43926U);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(chunk_checksum(bytes_of("")), 0U);
  EXPECT_EQ(chunk_checksum(bytes_of("56789"), chunk_checksum(bytes_of("1234"))), 0xcbf43926U);
}

TEST(ChecksumsTest, PaddingDoesNotCount) {
  // Chunks of 2 x 4 over 5 x 7: the third row and column of what is below is padding.
  const std::string chunk = "ab--cd--";  // 2 x 4 elements of one byte
  EXPECT_EQ(chunk_checksum(bytes_of(chunk), {2, 4}, {2, 2}, 1), chunk_checksum(bytes_of("abcd")));
  EXPECT_EQ(chunk_checksum(bytes_of(chunk), {2, 4}, {1, 4}, 1), chunk_checksum(bytes_of("ab--")));
  EXPECT_EQ(chunk_checksum(bytes_of(chunk), {2, 2}, {2, 1}, 2), chunk_checksum(bytes_of("abcd")));
  EXPECT_EQ(chunk_checksum(bytes_of(chunk), {2, 2, 2}, {2, 1, 2}, 1), chunk_checksum(bytes_of("abcd")));
  EXPECT_EQ(chunk_checksum(bytes_of(chunk), {2, 4}, {2, 4}, 1), chunk_checksum(bytes_of(chunk)));
  EXPECT_EQ(chunk_checksum(bytes_of("x"), {}, {}, 1), chunk_checksum(bytes_of("x")));
  EXPECT_THROW(chunk_checksum(bytes_of(chunk), {2, 4}, {2, 5}, 1), Error);
  EXPECT_THROW(chunk_checksum(bytes_of(chunk), {2, 4}, {2, 4}, 2), Error);
}

class ChecksumTableTest : public testing::Test {
 protected:
  // Tests run side by side: each has a file of its own.
  std::string path_ = std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".h5";
  storage::Handle file_{H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};

  void make(const std::string& path, const Shape& shape) {
    storage::create_contiguous(file_, path, DataType::float64, shape);
  }
  static ChecksumTable table(const std::string& path, const Shape& shape, const Shape& piece) {
    ChecksumTable table{path, Pieces(shape, piece), {}};
    table.sums.resize(table.pieces.count());
    std::iota(table.sums.begin(), table.sums.end(), 0xfffffff0U);
    return table;
  }
};

TEST_F(ChecksumTableTest, WhatIsStoredIsLoaded) {
  make("/group/of/V", {5, 7});
  make("/W", {9});
  EXPECT_FALSE(load_checksums(file_, "/W"));
  EXPECT_TRUE(datasets_with_checksums(file_).empty());
  const ChecksumTable v = table("/group/of/V", {5, 7}, {2, 4});
  store_checksums(file_, table("/group/of/V", {5, 7}, {5, 7}));
  store_checksums(file_, v);  // replaces the first
  store_checksums(file_, table("/W", {9}, {4}));
  EXPECT_EQ(load_checksums(file_, "/group/of/V"), v);
  EXPECT_EQ(datasets_with_checksums(file_), (std::vector<std::string>{"/W", "/group/of/V"}));
}

TEST_F(ChecksumTableTest, ATableThatIsNotTheDatasetsIsRefused) {
  make("/V", {5, 7});
  EXPECT_THROW(store_checksums(file_, ChecksumTable{"/V", Pieces({5, 7}, {2, 4}), {1, 2}}), Error);
  store_checksums(file_, table("/V", {5, 9}, {2, 4}));
  EXPECT_THROW(load_checksums(file_, "/V"), Error) << "3 x 3 checksums for 3 x 2 pieces";
  const storage::Handle stored(H5Dopen2(file_, "/weft/checksums/V", H5P_DEFAULT));
  storage::write_attribute(stored, "algorithm", std::string("sha1"));
  EXPECT_THROW(load_checksums(file_, "/V"), Error);
}

}  // namespace
}  // namespace weft::survey
