#include "cli/guarded.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <string_view>
#include <thread>

#include "cli/on_ranks.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

constexpr double kPatience = 60;  // seconds of processor time

using Beats = std::atomic<std::uint64_t>;
static_assert(Beats::is_always_lock_free, "it is shared between processes");
Beats* beats = nullptr;  // shared with the parent

// Damaged lengths ask for any amount of memory: no more than the machine has is given. (A sanitizer's shadow is
// larger.)
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const auto pages = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES));
  const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur <= bytes) return;
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

int in_child(const std::string& path, const std::function<int()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no work for a parent that is gone
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // a crash is told in a line
  limit_memory();
  try {
    return work();
  } catch (const Error& error) {
    say_once(error.what());
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    say_once(fmt::format("{}: asks for more memory than there is; it is damaged, or the budget too large", path));
  } catch (const std::exception& error) {
    say_once(fmt::format("{}: {}", path, error.what()));
  }
  return 1;
}

double processor_seconds(pid_t child) {
  clockid_t clock = 0;
  timespec used{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Waits for the child; ends it where it runs in circles. False where it had to be ended.
bool wait_for(pid_t child, int& status) {
  std::uint64_t seen = 0;
  double since = 0;
  auto pause = std::chrono::milliseconds(1);
  while (::waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(50));
    const double used = processor_seconds(child);
    const std::uint64_t now = beats->load();
    if (now != seen) {
      seen = now;
      since = used;
    } else if (used - since > kPatience) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return false;
    }
  }
  return true;
}

}  // namespace

void still_working() {
  if (beats != nullptr) beats->fetch_add(1, std::memory_order_relaxed);
}

int guarded(const std::string& path, const std::function<int()>& work) {
  void* shared = ::mmap(nullptr, sizeof(Beats), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw system_error(path, "no memory to work with", errno);
  beats = new (shared) Beats(0);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw system_error(path, "cannot start a process to work in", errno);
  if (child == 0) {
    const int code = in_child(path, work);
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  const bool ended = wait_for(child, status);
  if (!ended) {
    say_once(fmt::format("{}: HDF5 runs in circles in it; it is damaged", path));
    return 1;
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  const bool from_outside = number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP;
  const char* what = from_outside ? "the work on it was stopped" : "is damaged: reading it crashes HDF5";
  say_once(fmt::format("{}: {} ({})", path, what, ::strsignal(number)));
  return 1;
}

}  // namespace weft::cli
