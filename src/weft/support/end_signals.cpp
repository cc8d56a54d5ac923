#include "weft/support/end_signals.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>

namespace weft {

namespace {

constexpr std::array kSignals{SIGTERM, SIGUSR1};

// Lock-free, so that a handler may touch them.
std::atomic<int> arrivals{0};
std::atomic<int> latest{0};

std::mutex listening;
int listeners = 0;
std::array<bool, kSignals.size()> ours{};

extern "C" void remember(int signal) {
  latest.store(signal);
  arrivals.fetch_add(1);
}

}  // namespace

EndSignals::EndSignals() {
  const std::scoped_lock lock(listening);
  seen_ = arrivals.load();
  if (listeners++ > 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction before {};
    ::sigaction(kSignals[i], nullptr, &before);
    ours[i] = (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL;
    if (!ours[i]) continue;
    struct sigaction mine {};
    mine.sa_handler = remember;
    mine.sa_flags = SA_RESTART;
    ::sigemptyset(&mine.sa_mask);
    ::sigaction(kSignals[i], &mine, nullptr);
  }
}

EndSignals::~EndSignals() {
  const std::scoped_lock lock(listening);
  if (--listeners > 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    ::sigaction(kSignals[i], nullptr, &now);
    // The program may have taken it over meanwhile.
    if (ours[i] && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == remember) std::signal(kSignals[i], SIG_DFL);
  }
}

int EndSignals::pending() const { return arrivals.load() == seen_ ? 0 : latest.load(); }

void EndSignals::answer() { seen_ = arrivals.load(); }

void end_by_sigterm() {
  std::signal(SIGTERM, SIG_DFL);
  std::raise(SIGTERM);
  std::abort();  // it was blocked
}

}  // namespace weft
