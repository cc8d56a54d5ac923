#include "weft/storage/shared_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

TEST(SharedFile, AClientIsThatOfTheFileOrOfItsFolder) {
  const auto folder = std::filesystem::temp_directory_path();
  EXPECT_EQ(client_of((folder / "not-there.h5").string()), client_of(folder.string()));
  EXPECT_EQ(client_of("not-there.h5"), client_of("."));
  EXPECT_THROW(client_of("no/such/folder/a.h5"), Error);
}

TEST(SharedFile, OneRankWritesAsItAlwaysDid) {
  SelfCommunicator alone;
  EXPECT_EQ(shared_mode(alone, "a.h5"), OpenMode::write);
}

}  // namespace
}  // namespace weft::storage
