#include "weft/storage/chunk_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::storage {
namespace {

using Listed = std::tuple<Shape, std::uint64_t, std::uint64_t, std::uint32_t>;  // origin, address, bytes, skipped

constexpr hsize_t kExtents[] = {40, 60};  // 20 x 15 chunks: more than ChunkPlaces asks HDF5 for one by one
constexpr hsize_t kChunk[] = {2, 4};
constexpr std::uint64_t kChunks = 300;

// Of each test, as they run side by side.
std::string own_path() {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ranges::replace(name, '/', '-');
  return testing::TempDir() + name + ".h5";
}

// A dataset with one of HDF5's indexes, some chunks of which are there: deflated, every third as it is.
class ChunkIndex : public testing::TestWithParam<H5D_chunk_index_t> {
 protected:
  ~ChunkIndex() override { std::filesystem::remove(path_); }

  void make(std::uint64_t every) {
    const bool old = GetParam() == H5D_CHUNK_IDX_BTREE;
    const H5F_libver_t version = old ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V110;
    const Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access(H5F_LIBVER_V110, version)));
    const int unlimited = GetParam() == H5D_CHUNK_IDX_BT2 ? 2 : GetParam() == H5D_CHUNK_IDX_FARRAY ? 0 : 1;
    const hsize_t most[] = {unlimited > 0 ? H5S_UNLIMITED : kExtents[0], unlimited > 1 ? H5S_UNLIMITED : kExtents[1]};
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(properties, 2, kChunk);
    H5Pset_deflate(properties, 1);
    const Handle dataset =
        create_dataset(file, "/V", H5T_NATIVE_DOUBLE, Handle(H5Screate_simple(2, kExtents, most)), properties);
    const std::vector<std::byte> bytes(64);
    for (std::uint64_t n = 0; n < kChunks; n += every) {
      const hsize_t origin[] = {n / 15 * 2, n % 15 * 4};
      // No reader decodes them here, so they are of any length.
      H5Dwrite_chunk(dataset, H5P_DEFAULT, n % 3 == 0 ? 1 : 0, origin, n % 3 == 0 ? 64 : 10 + n % 50, bytes.data());
    }
  }

  void open() {
    file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    dataset_ = Handle(H5Dopen2(file_, "/V", H5P_DEFAULT));
    H5D_chunk_index_t index = H5D_CHUNK_IDX_NONE;
    H5Dget_chunk_index_type(dataset_, &index);
    ASSERT_EQ(index, GetParam());
  }

  // As HDF5 tells them one by one.
  std::vector<Listed> told() const {
    const Handle space(H5Dget_space(dataset_));
    hsize_t chunks = 0;
    H5Dget_num_chunks(dataset_, space, &chunks);
    std::vector<Listed> all;
    for (hsize_t n = 0; n < chunks; ++n) {
      hsize_t origin[2] = {};
      unsigned skipped = 0;
      haddr_t address = 0;
      hsize_t bytes = 0;
      H5Dget_chunk_info(dataset_, space, n, origin, &skipped, &address, &bytes);
      all.emplace_back(Shape{origin[0], origin[1]}, address, bytes, skipped);
    }
    std::ranges::sort(all);
    return all;
  }

  std::vector<Listed> visited() const {
    std::vector<Listed> all;
    const auto add = [&](const Shape& origin, const ChunkPlace& place) {
      all.emplace_back(origin, place.address, place.bytes, place.skipped);
    };
    const std::uint64_t stored = stored_chunks(dataset_, "/V", {2, 4}, 64).count;
    EXPECT_TRUE(each_stored_chunk(dataset_, "/V", stored, kChunks, add));
    std::ranges::sort(all);
    return all;
  }

  const std::string path_ = own_path();
  Handle file_;
  Handle dataset_;
};

TEST_P(ChunkIndex, AllChunksAreWhereHdf5SaysTheyAre) {
  make(1);
  open();
  EXPECT_EQ(visited().size(), kChunks);
  EXPECT_EQ(visited(), told());
  ChunkPlaces places(dataset_, "/V", {40, 60}, {2, 4}, 64);
  for (const auto& [origin, address, bytes, skipped] : told()) {
    const ChunkPlace& place = places.at(dataset_, origin[0] / 2 * 15 + origin[1] / 4);
    EXPECT_EQ(std::tuple(place.address, place.bytes, place.skipped), std::tuple(address, bytes, skipped));
  }
}

TEST_P(ChunkIndex, ThoseThatWereNeverWrittenHaveNoPlace) {
  make(7);
  open();
  EXPECT_EQ(visited().size(), 43U);
  EXPECT_EQ(visited(), told());
  ChunkPlaces places(dataset_, "/V", {40, 60}, {2, 4}, 64);
  EXPECT_NE(places.at(dataset_, 7).address, HADDR_UNDEF);
  EXPECT_EQ(places.at(dataset_, 8).address, HADDR_UNDEF);
}

// Where nothing but a walk through the index tells it, all of them are had from one after some walks.
TEST_P(ChunkIndex, EveryChunkOfAFileOfFewOrMostIsAskedFor) {
  for (const std::uint64_t every : {7U, 2U}) {
    for (const unsigned access : {H5F_ACC_RDONLY, H5F_ACC_RDWR}) {
      make(every);
      file_ = Handle(H5Fopen(path_.c_str(), access, H5P_DEFAULT));
      dataset_ = Handle(H5Dopen2(file_, "/V", H5P_DEFAULT));
      std::vector<Listed> asked;
      ChunkPlaces places(dataset_, "/V", {40, 60}, {2, 4}, 64);
      for (std::uint64_t n = 0; n < kChunks; ++n) {
        const ChunkPlace& place = places.at(dataset_, n);
        if (place.address == HADDR_UNDEF) continue;
        asked.emplace_back(Shape{n / 15 * 2, n % 15 * 4}, place.address, place.bytes, place.skipped);
      }
      EXPECT_EQ(asked, told());
      EXPECT_EQ(asked.size(), (kChunks + every - 1) / every);
      dataset_ = Handle();
      file_ = Handle();
    }
  }
}

TEST_P(ChunkIndex, AFileThatIsOpenForWritingTellsThemSlowly) {
  make(1);
  file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  dataset_ = Handle(H5Dopen2(file_, "/V", H5P_DEFAULT));
  EXPECT_EQ(visited(), told());
#if !H5_VERSION_GE(1, 12, 3)
  EXPECT_FALSE(each_stored_chunk(dataset_, "/V", kChunks, kChunks - 1,
                                 [](const Shape&, const ChunkPlace&) { FAIL() << "nothing is visited"; }));
#endif
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChunkIndex,
                         testing::Values(H5D_CHUNK_IDX_BTREE, H5D_CHUNK_IDX_FARRAY, H5D_CHUNK_IDX_EARRAY,
                                         H5D_CHUNK_IDX_BT2));

}  // namespace
}  // namespace weft::storage
