#include "weft/support/own_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>

#include "weft/support/error.hpp"

namespace weft {
namespace {

// The line and the kind that work ends with; "" where it does not fail.
std::pair<std::string, ErrorKind> failure(const std::function<std::string(OwnProcess&)>& work, double patience = 20) {
  try {
    in_own_process("a.h5", false, work, {patience, {}});
  } catch (const Error& error) {
    return {error.what(), error.kind()};
  }
  return {"", ErrorKind::system};
}

TEST(OwnProcess, ReturnsWhatTheWorkReturned) {
  EXPECT_EQ(in_own_process("a.h5", false, [](OwnProcess&) { return std::string(); }), "");
  const std::string large(3'000'000, 'x');  // more than a pipe holds
  EXPECT_EQ(in_own_process("a.h5", false, [&](OwnProcess&) { return std::string(large); }), large);
}

TEST(OwnProcess, ChildIsToldToStop) {
  OwnProcessLimits limits;
  limits.stop = [] { return true; };
  const std::string answer = in_own_process(
      "a.h5", false,
      [](OwnProcess& self) {
        while (!self.stopped()) self.alive();
        return std::string("stopped");
      },
      limits);
  EXPECT_EQ(answer, "stopped");
}

TEST(OwnProcess, CarriesErrorsOver) {
  for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::data, ErrorKind::system}) {
    const auto [line, carried] =
        failure([&](OwnProcess&) -> std::string { throw Error(kind, "b.h5", "is bad", "do better"); });
    EXPECT_EQ(line, "b.h5: is bad; do better");
    EXPECT_EQ(carried, kind);
  }
  const auto [line, kind] = failure([](OwnProcess&) -> std::string { throw std::bad_alloc(); });
  EXPECT_THAT(line, testing::StartsWith("a.h5: cannot be worked on"));
  EXPECT_EQ(kind, ErrorKind::data);
}

TEST(OwnProcess, ACrashIsALineThatSaysWhere) {
  const auto [line, kind] = failure([](OwnProcess& self) -> std::string {
    self.phase("looking", "dataset", 0);
    self.at("/Data");
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it
    std::raise(SIGSEGV);
    return "never";
  });
  EXPECT_EQ(line,
            "a.h5: is damaged: HDF5 crashed reading /Data or what follows it (Segmentation fault); copy the file "
            "again, or write it again");
  EXPECT_EQ(kind, ErrorKind::data);
}

TEST(OwnProcess, ALoopWithoutEndIsEnded) {
  const auto [line, kind] = failure(
      [](OwnProcess& self) -> std::string {
        self.at("/Data");
        for (std::atomic<unsigned> i = 0;; ++i) {
        }
      },
      0.05);
  EXPECT_THAT(line, testing::StartsWith("a.h5: is damaged: HDF5 does not return from reading /Data or "));
  EXPECT_EQ(kind, ErrorKind::data);
}

TEST(OwnProcess, LongWorkThatSpeaksGoesOn) {
  const std::string result = in_own_process("a.h5", false,
                                            [](OwnProcess& self) {
                                              const std::clock_t start = std::clock();
                                              while (std::clock() - start < CLOCKS_PER_SEC / 2) self.alive();
                                              return std::string("done");
                                            },
                                            {0.3, {}});
  EXPECT_EQ(result, "done");
}

}  // namespace
}  // namespace weft
