#include "weft/storage/superblock.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

void make(const std::string& path, H5F_libver_t version, hsize_t user_block) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  const Handle creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_libver_bounds(access, version, H5F_LIBVER_V110);
  H5Pset_userblock(creation, user_block);
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access));
  ASSERT_TRUE(file.valid());
}

TEST(SuperblockTest, TheChecksumIsLookup3) {
  // The values Bob Jenkins gives for hashlittle() with an initial value of 0.
  EXPECT_EQ(metadata_checksum({}), 0xdeadbeefU);
  EXPECT_EQ(metadata_checksum(std::as_bytes(std::span("Four score and seven years ago", 30))), 0x17770551U);
}

TEST(SuperblockTest, OldAndNewOnesAndUserBlocks) {
  for (const hsize_t user_block : {0U, 512U, 2048U}) {
    for (const auto& [version, number] : {std::pair{H5F_LIBVER_EARLIEST, 0U}, std::pair{H5F_LIBVER_V110, 3U}}) {
      const std::string path = "superblock.h5";
      make(path, version, user_block);
      const auto superblock = read_superblock(*open_store(path, OpenMode::read));
      ASSERT_TRUE(superblock);
      EXPECT_EQ(superblock->at, user_block);
      EXPECT_EQ(superblock->version, number);
      EXPECT_EQ(superblock->end_of_file, std::filesystem::file_size(path));
      EXPECT_FALSE(superblock->marked);
      EXPECT_TRUE(superblock->intact);
    }
  }
}

// By its own driver HDF5 takes the file for a truncated one now and then.
TEST(SuperblockTest, AFileThatGrowsIsOpened) {
  const std::string path = "superblock-grows.h5";
  make(path, H5F_LIBVER_V110, 0);
  std::atomic<bool> over = false;
  std::thread writer([&] {
    const auto store = open_store(path, OpenMode::write);
    std::uint64_t end = store->size();
    while (!over) {
      end += 4096;
      std::filesystem::resize_file(path, end);
      set_end_of_file(*store, end);
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(10);
      while (std::chrono::steady_clock::now() < until) {
      }
    }
  });
  const QuietHdf5 quiet;
  int refused = 0;
  for (int i = 0; i < 5000; ++i) refused += open_read_only(path).valid() ? 0 : 1;
  over = true;
  writer.join();
  EXPECT_EQ(refused, 0);
}

TEST(SuperblockTest, AMarkIsSeenAndTakenAway) {
  const std::string path = "superblock-marked.h5";
  make(path, H5F_LIBVER_V110, 0);
  const auto store = open_store(path, OpenMode::write);
  const Superblock clean = *read_superblock(*store);
  Superblock marked = clean;
  marked.bytes[11] = std::byte{1};
  const std::uint32_t sum = metadata_checksum(std::span(marked.bytes).first(44));
  std::copy_n(reinterpret_cast<const std::byte*>(&sum), 4, marked.bytes.begin() + 44);
  store->write_at(0, Bytes(marked.bytes));
  {
    const QuietHdf5 quiet;
    EXPECT_FALSE(Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)).valid());
  }
  const Superblock seen = *read_superblock(*store);
  EXPECT_TRUE(seen.marked);
  EXPECT_TRUE(seen.intact);
  clear_write_mark(*store, seen);
  EXPECT_EQ(read_superblock(*store)->bytes, clean.bytes);
  EXPECT_TRUE(Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)).valid());
}

TEST(SuperblockTest, DamageIsSeen) {
  const std::string path = "superblock-damaged.h5";
  make(path, H5F_LIBVER_V110, 0);
  const auto store = open_store(path, OpenMode::write);
  const std::byte flipped{0x55};
  store->write_at(20, Bytes(&flipped, 1));
  const Superblock seen = *read_superblock(*store);
  EXPECT_FALSE(seen.intact);
  EXPECT_THROW(clear_write_mark(*store, seen), Error);
  std::filesystem::resize_file(path, 20);
  EXPECT_THROW(read_superblock(*store), Error);
  std::filesystem::resize_file(path, 5);
  EXPECT_FALSE(read_superblock(*store));
}

}  // namespace
}  // namespace weft::storage
