#include "weft/support/end_signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace weft {
namespace {

int heard = 0;
extern "C" void hear(int /*signal*/) { ++heard; }

class EndSignalsTest : public testing::Test {
 protected:
  EndSignalsTest() { heard = 0; }
  ~EndSignalsTest() override {
    std::signal(SIGUSR1, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
};

TEST_F(EndSignalsTest, AreRememberedUntilTheyAreAnswered) {
  EndSignals signals;
  EXPECT_EQ(signals.pending(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(signals.pending(), SIGTERM);
  signals.answer();
  EXPECT_EQ(signals.pending(), 0);
}

TEST_F(EndSignalsTest, AWarningIsHeardByTheProgramToo) {
  std::signal(SIGUSR1, hear);
  {
    const EndSignals signals;
    std::raise(SIGUSR1);
    EXPECT_EQ(signals.pending(), SIGUSR1);
    EXPECT_EQ(heard, 1);
  }
  std::raise(SIGUSR1);
  EXPECT_EQ(heard, 2) << "and is its own again afterwards";
}

TEST_F(EndSignalsTest, TheEndIsLeftToAProgramThatHandlesIt) {
  std::signal(SIGTERM, hear);
  const EndSignals signals;
  std::raise(SIGTERM);
  EXPECT_EQ(signals.pending(), 0);
  EXPECT_EQ(heard, 1);
}

TEST_F(EndSignalsTest, WhatIsIgnoredStaysIgnored) {
  std::signal(SIGUSR1, SIG_IGN);
  const EndSignals signals;
  std::raise(SIGUSR1);
  EXPECT_EQ(signals.pending(), 0);
}

}  // namespace
}  // namespace weft
