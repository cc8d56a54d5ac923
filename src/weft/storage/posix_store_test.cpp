// The POSIX store, and the stores that count, delay and fail around it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/page_memory.hpp"
#include "weft/storage/wrapped_stores.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

using testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class PosixStoreTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-posix-store-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "bytes").string();
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(PosixStoreTest, ThroughALocalPageCacheAWriteIsOf512KiBAtMost) {
  constexpr std::size_t kMost = 512 << 10;
  const auto counters = std::make_shared<SyscallCounters>();
  const auto store = open_store(path_, OpenMode::create, counters);
  if (!file_system_of(path_).one_machine()) GTEST_SKIP() << "the folder for temporary files is on another machine";
  std::vector<std::byte> data(3 * kMost + 5);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31 + i / 251);
  const Bytes all(data);
  const std::vector<Bytes> pieces{all.subspan(0, 100), all.subspan(100, 2 * kMost), all.subspan(2 * kMost + 100)};
  store->write_at(7, pieces);
  EXPECT_EQ(counters->write_sizes.times(), (std::map<std::uint64_t, std::uint64_t>{{kMost, 3}, {5, 1}}));
  std::vector<std::byte> back(data.size());
  store->read_at(7, MutableBytes(back));
  EXPECT_EQ(back, data);
  EXPECT_EQ(counters->reads, 1U);
}

// What the page cache has of a file and the disk was not asked to take. Linux 6.5 and later, by number: older headers
// have no name for it.
std::optional<std::uint64_t> dirty_pages(const std::string& path) {
  constexpr long kCachestat = 451;
  const std::array<std::uint64_t, 2> all{0, 0};
  std::array<std::uint64_t, 5> found{};  // in the cache, dirty, on their way, ..
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool told = ::syscall(kCachestat, descriptor, all.data(), found.data(), 0) == 0;
  ::close(descriptor);
  return told ? std::optional(found[1]) : std::nullopt;
}

TEST_F(PosixStoreTest, TheDiskBeginsWithWholePages) {
  if (!file_system_of(path_).one_machine()) GTEST_SKIP() << "the folder for temporary files is on another machine";
  const auto counters = std::make_shared<SyscallCounters>();
  const auto asked = std::make_shared<RequestCounters>();
  const auto store = counting_store(open_store(path_, OpenMode::create, counters), asked);
  const std::uint64_t page = page_bytes();
  std::vector<std::byte> data(10 * page);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31 + i / 251);
  store->write_at(100, Bytes(data));
  store->start_writeback(100, 2 * page - 101);
  store->start_writeback(page, page - 1);
  store->start_writeback(0, 0);
  EXPECT_EQ(counters->writebacks, 0U) << "no page is whole";
  store->start_writeback(100, data.size());
  EXPECT_EQ(counters->writebacks, 1U) << "a wrapper passes it on";
  const auto dirty = dirty_pages(path_);
  if (dirty && file_system_of(path_).type != "tmpfs") {
    EXPECT_LE(*dirty, 2U) << "the first and the last page";
  }
  std::vector<std::byte> back(data.size());
  store->read_at(100, MutableBytes(back));
  EXPECT_EQ(back, data);
}

TEST_F(PosixStoreTest, ListsOfPiecesOfAnyLengthMoveInAsManyCallsAsNeeded) {
  const auto counters = std::make_shared<SyscallCounters>();
  const auto store = open_store(path_, OpenMode::create, counters);
  // 2,500 pieces of 0 to 6 bytes: more than one call carries, empty ones among them.
  std::vector<std::byte> data(10000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31);
  std::vector<Bytes> pieces;
  std::size_t at = 0;
  for (std::size_t i = 0; i < 2500; ++i) {
    pieces.push_back(Bytes(data).subspan(at, i % 7));
    at += i % 7;
  }
  store->write_at(5, pieces);
  EXPECT_EQ(counters->writes, 3U);
  EXPECT_EQ(counters->bytes_written, at);
  EXPECT_EQ(store->size(), at + 5);
  std::vector<std::byte> back(at);
  store->read_at(5, MutableBytes(back));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), data.begin()));
  EXPECT_EQ(counters->bytes_read, at);
}

TEST_F(PosixStoreTest, ReadingPastTheEndSaysWhereItEnds) {
  const auto store = open_store(path_, OpenMode::create);
  store->write_at(0, Bytes(std::vector<std::byte>(10)));
  std::vector<std::byte> more(11);
  EXPECT_THAT(message_of([&] { store->read_at(0, MutableBytes(more)); }), HasSubstr("ends at byte 10"));
}

TEST_F(PosixStoreTest, AFileThatCannotBeOpenedIsNamed) {
  EXPECT_THAT(message_of([&] { open_store(path_ + "/deeper", OpenMode::create); }), HasSubstr("/deeper"));
  EXPECT_THAT(message_of([&] { open_store(path_, OpenMode::read); }), HasSubstr("No such file"));
}

TEST_F(PosixStoreTest, ClosingTwiceIsClosingOnce) {
  const auto counters = std::make_shared<SyscallCounters>();
  const auto store = open_store(path_, OpenMode::create, counters);
  store->close();
  store->close();
  EXPECT_EQ(counters->closes, 1U);
}

TEST_F(PosixStoreTest, AFailingStoreRefusesFromThenOn) {
  const auto asked = std::make_shared<RequestCounters>();
  const auto store = failing_store(counting_store(open_store(path_, OpenMode::create), asked),
                                   [](std::uint64_t write, std::uint64_t) { return write == 2 ? ENOSPC : 0; });
  const std::vector<std::byte> data(8);
  store->write_at(0, Bytes(data));
  store->write_at(8, Bytes(data));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(message_of([&] { store->write_at(16, Bytes(data)); }), HasSubstr("No space left on device"));
  }
  EXPECT_EQ(asked->writes, 2U);
  EXPECT_EQ(asked->bytes_written, 16U);
  EXPECT_EQ(store->size(), 16U);
}

TEST_F(PosixStoreTest, ADelayingStoreTakesItsTime) {
  const auto store = delaying_store(open_store(path_, OpenMode::create), 0.02, 1e6);
  const std::vector<std::byte> data(10000);  // 10 ms at 1 MB/s
  const auto start = std::chrono::steady_clock::now();
  store->write_at(0, Bytes(data));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
}

}  // namespace
}  // namespace weft::storage
