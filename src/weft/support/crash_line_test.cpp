#include "weft/support/crash_line.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace weft {
namespace {

void crash(int signal) {
  std::ofstream("crash_line.part") << "half";
  CrashLine line("weft: a.h5: HDF5 crashed", "", 7);
  line.removes({"crash_line.part", "crash_line.never_made"});
  std::raise(signal);
}

TEST(CrashLine, SaysItAndLeavesNothing) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    EXPECT_EXIT(crash(signal), testing::ExitedWithCode(7), "^weft: a.h5: HDF5 crashed\n$");
    EXPECT_FALSE(std::filesystem::exists("crash_line.part"));
  }
}

TEST(CrashLine, EndsALoopAndLetsWorkGoOn) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto compute = [](bool says_so) {
    CrashLine line("", "weft: a.h5: goes round", 7);
    line.allow(0.1);
    for (const std::clock_t begin = std::clock(); std::clock() - begin < CLOCKS_PER_SEC / 2;) {
      if (says_so) line.allow(0.1);
    }
    line.allow(0);
    for (const std::clock_t begin = std::clock(); std::clock() - begin < CLOCKS_PER_SEC / 5;) continue;
    std::exit(0);
  };
  EXPECT_EXIT(compute(false), testing::ExitedWithCode(7), "^weft: a.h5: goes round\n$");
  EXPECT_EXIT(compute(true), testing::ExitedWithCode(0), "^$");
}

TEST(CrashLine, IsGoneWithItsScope) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto after = [] {
    { const CrashLine line("weft: said", "", 7); }
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  };
  EXPECT_EXIT(after(), testing::KilledBySignal(SIGABRT), "^$");
}

}  // namespace
}  // namespace weft
