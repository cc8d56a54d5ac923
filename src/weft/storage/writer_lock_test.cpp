#include "weft/storage/writer_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class WriterLockTest : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("weft-writer-lock-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "a.h5").string();
  std::string lock_path_ = path_ + ".weft-lock";
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    folder_ = std::filesystem::canonical(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string refusal(const LockWish& wish = {"a test"}) const {
    try {
      const WriterLock lock = WriterLock::take(path_, wish);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  }

  void leave(const LockHolder& holder) const { std::ofstream(lock_path_) << to_text(holder); }

  // A process that takes the lock, and is killed if `then` says so.
  pid_t holder_process(bool joins = false) const {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const WriterLock lock = joins ? WriterLock::join(path_) : WriterLock::take(path_, {"a child"});
      const char byte = 1;
      if (::write(ready[1], &byte, 1) == 1) ::pause();
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }
  static void kill(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
};

TEST_F(WriterLockTest, IsGivenBackAndLeavesNothing) {
  {
    const WriterLock lock = WriterLock::take(path_, {"a test"});
    EXPECT_TRUE(std::filesystem::exists(lock_path_));
    EXPECT_TRUE(has_living_writer(path_));
    EXPECT_EQ(lock_holder(path_)->process, this_process());
  }
  EXPECT_FALSE(std::filesystem::exists(lock_path_));
  EXPECT_FALSE(has_living_writer(path_));
  EXPECT_EQ(refusal(), "");
}

TEST_F(WriterLockTest, ASecondWriterIsToldWhoHasIt) {
  const WriterLock lock = WriterLock::take(path_, {"weft run ecg"});
  EXPECT_THAT(refusal(), AllOf(HasSubstr(path_), HasSubstr("is being written by weft run ecg"),
                               HasSubstr(std::to_string(::getpid()))));
  EXPECT_THAT(refusal({"a test", true}), HasSubstr("is being written")) << "the living are not taken over";
}

TEST_F(WriterLockTest, ALinkLeadsToTheSameLock) {
  const std::string link = (folder_ / "link.h5").string();
  std::filesystem::create_symlink("a.h5", link);  // of a file that is not there yet
  const WriterLock lock = WriterLock::take(link, {"a test"});
  EXPECT_NE(refusal(), "");
}

TEST_F(WriterLockTest, AKilledHolderNeedsNoHandWork) {
  const pid_t child = holder_process();
  EXPECT_NE(refusal(), "");
  EXPECT_TRUE(has_living_writer(path_));
  kill(child);
  EXPECT_TRUE(std::filesystem::exists(lock_path_));
  EXPECT_FALSE(has_living_writer(path_));
  const WriterLock lock = WriterLock::take(path_, {"a test"});
  EXPECT_TRUE(lock.taken_over());
}

TEST_F(WriterLockTest, WaitsForAWriterThatHasLetGoAndIsEnding) {
  // As a process that was killed: the system has taken its locks from it, and it is still to be seen.
  for (const bool taken : {true, false}) {
    const pid_t ending = holder_process();
    const LockHolder holder = *lock_holder(path_);
    std::filesystem::remove(lock_path_);
    leave(holder);
    const pid_t ender = ::fork();
    if (ender == 0) {
      ::usleep(300'000);
      ::kill(ending, SIGKILL);
      ::_exit(0);
    }
    const auto begun = std::chrono::steady_clock::now();
    if (taken) {
      EXPECT_EQ(refusal(), "");
    } else {
      EXPECT_NO_THROW(check_no_living_writer(path_));
    }
    EXPECT_GT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(200));
    ::waitpid(ender, nullptr, 0);
    ::waitpid(ending, nullptr, 0);
    std::filesystem::remove(lock_path_);
  }
}

TEST_F(WriterLockTest, WaitsForRanksOfAWriterThatDied) {
  const pid_t first = holder_process();
  const pid_t rank = holder_process(true);
  kill(first);
  const pid_t ender = ::fork();
  if (ender == 0) {
    ::usleep(300'000);
    ::kill(rank, SIGKILL);
    ::_exit(0);
  }
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal(), "");
  EXPECT_GT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(200));
  ::waitpid(ender, nullptr, 0);
  ::waitpid(rank, nullptr, 0);
}

TEST_F(WriterLockTest, AHolderOnAnotherMachineOfALocalDiskIsGone) {
  LockHolder holder{this_process(), "weft run ecg", "2026-01-01T00:00:00Z"};
  holder.process.boot = {1, 2};
  leave(holder);
  EXPECT_EQ(refusal(), "");
}

TEST_F(WriterLockTest, ANumberUsedAgainIsNotTakenForTheHolder) {
  LockHolder holder{this_process(), "weft run ecg", "2026-01-01T00:00:00Z"};
  holder.process.start -= 1;
  leave(holder);
  EXPECT_FALSE(has_living_writer(path_));
  EXPECT_EQ(refusal(), "");
}

TEST_F(WriterLockTest, WithoutTheSystemsLockTheLivingAreStillKnown) {
  // As on a file system without locks: the file says who writes, and that process runs.
  leave({this_process(), "weft run ecg", "2026-01-01T00:00:00Z"});
  EXPECT_TRUE(has_living_writer(path_));
  EXPECT_THAT(refusal(), HasSubstr("is being written by weft run ecg"));
}

TEST_F(WriterLockTest, AHolderIsReadAsItWasWritten) {
  const LockHolder holder{this_process(), "weft run ecg", "2026-01-01T00:00:00Z"};
  const auto read = lock_holder_from(to_text(holder));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->process, holder.process);
  EXPECT_EQ(read->work, holder.work);
  EXPECT_EQ(read->since, holder.since);
  EXPECT_FALSE(lock_holder_from(to_text(holder).substr(0, 60)));
  EXPECT_FALSE(lock_holder_from(""));
}

TEST_F(WriterLockTest, WithoutAFolderThereIsOneLine) {
  try {
    WriterLock::take((folder_ / "not-there" / "a.h5").string(), {"a test"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot be locked"), HasSubstr("No such file")));
  }
}

}  // namespace
}  // namespace weft::storage
