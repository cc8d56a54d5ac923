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
std::array<struct sigaction, kSignals.size()> handlers_before{};  // written only while the signal is not ours

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

extern "C" void remember(int signal, siginfo_t* info, void* context) {
  latest.store(signal);
  arrivals.fetch_add(1);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal || !is_function(handlers_before[i])) continue;
    if ((handlers_before[i].sa_flags & SA_SIGINFO) != 0) {
      handlers_before[i].sa_sigaction(signal, info, context);
    } else {
      handlers_before[i].sa_handler(signal);
    }
  }
}

bool may_be_ours(int signal, const struct sigaction& action) {
  if (is_function(action)) return signal == SIGUSR1;
  return action.sa_handler == SIG_DFL;
}

}  // namespace

EndSignals::EndSignals() {
  const std::scoped_lock lock(listening);
  seen_ = arrivals.load();
  if (listeners++ > 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &handlers_before[i]);
    ours[i] = may_be_ours(kSignals[i], handlers_before[i]);
    if (!ours[i]) continue;
    struct sigaction mine {};
    mine.sa_sigaction = remember;
    mine.sa_flags = SA_RESTART | SA_SIGINFO;
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
    const bool still_ours = ours[i] && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == remember;
    if (still_ours) ::sigaction(kSignals[i], &handlers_before[i], nullptr);
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
