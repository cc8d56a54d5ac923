#include "weft/support/crash_line.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <utility>

namespace weft {

namespace {

constexpr std::array<int, 6> kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};

// What the handler needs, made before: a crashed program may ask for no memory and take no lock.
struct Prepared {
  std::string line;
  std::string loop_line;
  std::vector<std::string> files;
  int exit_code = 1;
  std::array<struct sigaction, kCrashes.size()> before{};
  std::vector<char> stack;  // the crash may be that of a full one
  stack_t stack_before{};
};
Prepared* prepared = nullptr;

void end(int signal) {
  const std::string& line = signal == SIGPROF ? prepared->loop_line : prepared->line;
  // Nothing can be done about a line that does not go out.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  for (const std::string& file : prepared->files) ::unlink(file.c_str());
  ::_exit(prepared->exit_code);
}

}  // namespace

CrashLine::CrashLine(const std::string& line, const std::string& loop_line, int exit_code) {
  constexpr std::size_t kStackBytes = 64 << 10;
  prepared = new Prepared{line + '\n', loop_line + '\n', {}, exit_code, {}, std::vector<char>(kStackBytes), {}};
  const stack_t stack{prepared->stack.data(), 0, prepared->stack.size()};
  ::sigaltstack(&stack, &prepared->stack_before);
  struct sigaction action {};
  action.sa_handler = end;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes.at(i), &action, &prepared->before.at(i));
}

void CrashLine::removes(std::vector<std::string> files) {
  // Not while the handler may read them.
  sigset_t crashes;
  sigset_t before;
  sigemptyset(&crashes);
  for (const int crash : kCrashes) sigaddset(&crashes, crash);
  ::pthread_sigmask(SIG_BLOCK, &crashes, &before);
  prepared->files = std::move(files);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

CrashLine::~CrashLine() {
  allow(0);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes.at(i), &prepared->before.at(i), nullptr);
  ::sigaltstack(&prepared->stack_before, nullptr);
  delete std::exchange(prepared, nullptr);
}

void CrashLine::allow(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace weft
