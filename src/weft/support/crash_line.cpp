#include "weft/support/crash_line.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace weft {

namespace {

constexpr std::array<int, 5> kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// What the handler needs, made before: a crashed program may ask for no memory and take no lock.
struct Prepared {
  std::string line;
  std::vector<std::string> files;
  int exit_code = 1;
  std::array<struct sigaction, kCrashes.size()> before{};
  std::vector<char> stack;  // the crash may be that of a full one
  stack_t stack_before{};
};
Prepared* prepared = nullptr;

void end(int) {
  // Nothing can be done about a line that does not go out.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, prepared->line.data(), prepared->line.size());
  for (const std::string& file : prepared->files) ::unlink(file.c_str());
  ::_exit(prepared->exit_code);
}

}  // namespace

CrashLine::CrashLine(std::string line, std::vector<std::string> files, int exit_code) {
  constexpr std::size_t kStackBytes = 64 << 10;
  line += '\n';
  prepared = new Prepared{std::move(line), std::move(files), exit_code, {}, std::vector<char>(kStackBytes), {}};
  const stack_t stack{prepared->stack.data(), 0, prepared->stack.size()};
  ::sigaltstack(&stack, &prepared->stack_before);
  struct sigaction action {};
  action.sa_handler = end;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes.at(i), &action, &prepared->before.at(i));
}

CrashLine::~CrashLine() {
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes.at(i), &prepared->before.at(i), nullptr);
  ::sigaltstack(&prepared->stack_before, nullptr);
  delete std::exchange(prepared, nullptr);
}

}  // namespace weft
