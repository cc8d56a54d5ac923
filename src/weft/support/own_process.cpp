#include "weft/support/own_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>

#include "weft/support/error.hpp"
#include "weft/support/progress.hpp"

namespace weft {

// Memory of both processes. The parent reads `place` only once the child is gone, everything else at any time.
struct OwnProcess::Shared {
  std::atomic<std::uint64_t> words{0};  // everything said so far
  std::atomic<std::uint64_t> phases{0};
  std::atomic<const char*> what{""};  // forked: what points to constants in the child does so in the parent
  std::atomic<const char*> unit{""};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
  std::atomic<bool> stop{false};
  int standard_error = STDERR_FILENO;  // the child's copy of what was the command's
  std::array<char, 512> place{};
};

void OwnProcess::phase(const char* what, const char* unit, std::uint64_t total) {
  shared_->what = what;
  shared_->unit = unit;
  shared_->total = total;
  shared_->done = 0;
  shared_->place[0] = '\0';
  ++shared_->phases;
  ++shared_->words;
}

void OwnProcess::at(std::string_view place) {
  const std::size_t length = std::min(place.size(), shared_->place.size() - 1);
  std::memcpy(shared_->place.data(), place.data(), length);
  shared_->place[length] = '\0';
  ++shared_->done;
  ++shared_->words;
}

void OwnProcess::alive() { ++shared_->words; }

void OwnProcess::done(std::uint64_t count) {
  shared_->done = count;
  ++shared_->words;
}

void OwnProcess::say(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(shared_->standard_error, text.data(), text.size()) < 0) return;  // nobody listens
}

bool OwnProcess::stopped() const { return shared_->stop; }

namespace {

// What comes through the pipe begins with one of these.
constexpr char kResult = '+';
constexpr std::array<char, 3> kErrors{'u', 'd', 's'};  // as ErrorKind

std::string answer_of(OwnProcess& self, const std::string& file, const std::function<std::string(OwnProcess&)>& work) {
  try {
    return kResult + work(self);
  } catch (const Error& error) {
    return kErrors.at(static_cast<std::size_t>(error.kind())) + std::string(error.what());
  } catch (const std::exception& error) {  // sizes that cannot be had: they came out of the file
    return kErrors[1] +
           fmt::format("{}: cannot be worked on: {}; it may be damaged: copy it again", file, error.what());
  }
}

void take_machine_memory_only() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose shadow is larger
  const auto pages = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES));
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_cur, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)));
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

[[noreturn]] void be_the_child(int pipe, OwnProcess::Shared* shared, const std::string& file,
                               const std::function<std::string(OwnProcess&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // The C library announces a crash on standard error; the parent does that.
  shared->standard_error = ::dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDERR_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  OwnProcess self(shared);
  const std::string answer = answer_of(self, file, work);
  for (std::size_t sent = 0; sent < answer.size();) {
    const ssize_t moved = ::write(pipe, answer.data() + sent, answer.size() - sent);
    if (moved < 0 && errno != EINTR) ::_exit(1);
    sent += static_cast<std::size_t>(std::max<ssize_t>(0, moved));
  }
  ::_exit(0);
}

double processor_seconds(pid_t child) {
  clockid_t clock{};
  timespec now{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The parent's side: listens to a child until it is through, hangs or dies.
class Listener {
 public:
  Listener(pid_t child, int pipe, OwnProcess::Shared& shared, const OwnProcessLimits& limits, bool shown)
      : child_(child), pipe_(pipe), shared_(shared), limits_(limits), shown_(shown) {}

  // False where the child hung and was ended.
  bool listen() {
    std::array<char, 65536> buffer{};
    while (true) {
      pollfd waiting{pipe_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, 100);
      if (ready > 0) {
        const ssize_t moved = ::read(pipe_, buffer.data(), buffer.size());
        if (moved == 0) return true;
        if (moved > 0) answer_.append(buffer.data(), static_cast<std::size_t>(moved));
        continue;
      }
      show();
      if (limits_.stop && limits_.stop()) shared_.stop = true;
      if (silent_for_long()) {
        ::kill(child_, SIGKILL);
        return false;
      }
    }
  }

  const std::string& answer() const { return answer_; }

 private:
  void show() {
    if (const std::uint64_t phases = shared_.phases; phases != phases_) {
      phases_ = phases;
      progress_.emplace(shared_.what.load(), shared_.unit.load(), shared_.total.load(), shown_);
    }
    if (progress_) progress_->update(shared_.done);
  }

  bool silent_for_long() {
    const double now = processor_seconds(child_);
    if (const std::uint64_t words = shared_.words; words != words_) {
      words_ = words;
      last_word_ = now;
    }
    return now - last_word_ > limits_.compute_without_a_word;
  }

  pid_t child_;
  int pipe_;
  OwnProcess::Shared& shared_;
  const OwnProcessLimits& limits_;
  bool shown_;
  std::string answer_;
  std::uint64_t phases_ = 0;
  std::uint64_t words_ = 0;
  double last_word_ = 0;
  std::optional<Progress> progress_;
};

std::string place_text(const OwnProcess::Shared& shared) {
  const std::string place = shared.place.data();
  return place.empty() ? std::string("reading it") : fmt::format("reading {} or what follows it", place);
}

std::string understood(const std::string& file, const std::string& answer, int status,
                       const OwnProcess::Shared& shared) {
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGKILL) {
      throw Error(ErrorKind::system, file, fmt::format("{} was ended from outside (SIGKILL)", place_text(shared)),
                  "perhaps for lack of memory; if not, the file may be damaged");
    }
    throw Error(ErrorKind::data, file,
                fmt::format("is damaged: HDF5 crashed {} ({})", place_text(shared), ::strsignal(WTERMSIG(status))),
                "copy the file again, or write it again");
  }
  if (answer.empty()) throw Error(ErrorKind::system, file, "the process that read it said nothing", "try again");
  if (answer[0] == kResult) return answer.substr(1);
  const auto* const kind = std::find(kErrors.begin(), kErrors.end(), answer[0]);
  throw Error(static_cast<ErrorKind>(kind - kErrors.begin()), "", answer.substr(1));
}

}  // namespace

std::string in_own_process(const std::string& file, bool shown, const std::function<std::string(OwnProcess&)>& work,
                           const OwnProcessLimits& limits) {
  void* memory = ::mmap(nullptr, sizeof(OwnProcess::Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw system_error(file, "no memory to share with a process", errno);
  const auto unmap = [](OwnProcess::Shared* at) { ::munmap(at, sizeof(OwnProcess::Shared)); };
  const std::unique_ptr<OwnProcess::Shared, decltype(unmap)> shared(new (memory) OwnProcess::Shared, unmap);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error(file, "no pipe to a process", errno);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    if (limits.machine_memory_only) take_machine_memory_only();
    be_the_child(ends[1], shared.get(), file, work);
  }
  const int fork_error = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw system_error(file, "no process to read it in", fork_error);
  }
  bool ended = false;
  std::string answer;
  {
    Listener listener(child, ends[0], *shared, limits, shown);
    ended = listener.listen();
    answer = listener.answer();
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) {
    throw Error(ErrorKind::data, file, fmt::format("is damaged: HDF5 does not return from {}", place_text(*shared)),
                "copy the file again, or write it again");
  }
  return understood(file, answer, status, *shared);
}

}  // namespace weft
