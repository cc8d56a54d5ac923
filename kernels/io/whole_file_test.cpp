#include "kernels/io/whole_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "weft/support/error.hpp"

namespace weft::kernels {
namespace {

TEST(WholeFile, HasAllItsBytes) {
  const std::string path = "whole_file_test.bin";
  std::ofstream(path) << "0123456789";
  EXPECT_NO_THROW(check_whole(path, 10));
  EXPECT_THROW(check_whole(path, 11), Error);
  EXPECT_THROW(check_whole(path, 9), Error);
  // A hole where there is room for it may be the file system's own doing.
  std::filesystem::resize_file(path, 1 << 20);
  EXPECT_NO_THROW(check_whole(path, 1 << 20));
  std::filesystem::remove(path);
  EXPECT_THROW(check_whole(path, 10), Error);
}

TEST(WholeFile, LacksWhatTheDiskHasNoRoomFor) {
  const std::string path = "whole_file_test.bin";
  std::ofstream(path) << "0123456789";
  std::error_code refused;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43, refused);  // 8 TiB
  if (refused || std::filesystem::space(path).available >= std::uintmax_t{1} << 43) GTEST_SKIP() << "no such hole here";
  EXPECT_THROW(check_whole(path, std::uint64_t{1} << 43), Error);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace weft::kernels
