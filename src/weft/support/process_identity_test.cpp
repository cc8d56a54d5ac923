#include "weft/support/process_identity.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace weft {
namespace {

TEST(ProcessIdentity, ThisProcessIsAlive) {
  const ProcessIdentity mine = this_process();
  EXPECT_EQ(mine.pid, ::getpid());
  EXPECT_NE(mine.boot, BootId{});
  EXPECT_EQ(is_alive(mine), true);
}

TEST(ProcessIdentity, ANumberThatIsUsedAgainIsAnotherProcess) {
  ProcessIdentity earlier = this_process();
  earlier.start -= 1;
  EXPECT_EQ(is_alive(earlier), false);
}

TEST(ProcessIdentity, OfAnotherMachineOrNamespaceNothingIsKnown) {
  ProcessIdentity other = this_process();
  other.boot[0] ^= 1U;
  EXPECT_EQ(is_alive(other), std::nullopt);
  other = this_process();
  other.pid_namespace += 1;
  EXPECT_EQ(is_alive(other), std::nullopt);
}

TEST(ProcessIdentity, AProcessThatWasKilledIsDeadBeforeAnybodyWaitedForIt) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ProcessIdentity process = this_process();
  process.pid = child;
  // Its start is not known here: it is that of the only one of the numbers for which it counts as alive.
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  for (int later = 0; later < 1000; ++later) {
    ASSERT_EQ(is_alive(process), false);
    ++process.start;
  }
  ::waitpid(child, nullptr, 0);
}

// Between the opening of /proc/PID/stat and the reading of it the process may go: then reading fails with ESRCH.
TEST(ProcessIdentity, AProcessMayEndWhileItIsAskedFor) {
  std::atomic<pid_t> latest{::getpid()};
  std::atomic<bool> done{false};
  std::thread asking([&] {
    ProcessIdentity process = this_process();
    while (!done) {
      process.pid = latest;
      EXPECT_NO_THROW(is_alive(process));
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    latest = child;
    ::waitpid(child, nullptr, 0);
  }
  done = true;
  asking.join();
}

}  // namespace
}  // namespace weft
