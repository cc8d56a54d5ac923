// What is said of files that HDF5 cannot open, or that another program is writing.
#include "weft/storage/fresh_driver.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FreshDriverTest : public ::testing::Test {
 protected:
  FreshDriverTest() {
    const Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_TRUE(file.valid());
  }
  ~FreshDriverTest() override { std::filesystem::remove(path_); }

  Error refusal() const {
    const QuietHdf5 quiet;
    try {
      open_for_reading(path_);
    } catch (const Error& error) {
      return error;
    }
    return {ErrorKind::usage, "", "was opened"};
  }

  const std::string path_ = ::testing::TempDir() + "fresh-" + std::to_string(::getpid()) + ".h5";
};

TEST_F(FreshDriverTest, AFileThatIsOpenForWritingElsewhereIsSaidToBe) {
  const char* const before = std::getenv("HDF5_USE_FILE_LOCKING");
  const std::string said = before == nullptr ? "" : before;
  ::setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);
  const int other = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(refusal().kind(), ErrorKind::system);
  EXPECT_THAT(refusal().what(), HasSubstr("another program has it open for writing"));
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  EXPECT_STREQ(refusal().what(), "was opened");
  ::close(other);
  ::setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);
  EXPECT_STREQ(refusal().what(), "was opened");
  before == nullptr ? ::unsetenv("HDF5_USE_FILE_LOCKING") : ::setenv("HDF5_USE_FILE_LOCKING", said.c_str(), 1);
}

TEST_F(FreshDriverTest, WhyItIsNotOpenedIsSaidInHdf5sWords) {
  std::filesystem::resize_file(path_, 100);
  EXPECT_EQ(refusal().kind(), ErrorKind::data);
  EXPECT_THAT(refusal().what(), HasSubstr("truncated file"));
  EXPECT_THAT(refusal().what(), Not(HasSubstr("gave no reason")));
}

}  // namespace
}  // namespace weft::storage
