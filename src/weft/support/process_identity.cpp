#include "weft/support/process_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

namespace weft {

namespace {

// Nothing where the file cannot be opened or read: a process may end in between (then read gives ESRCH, which a file
// stream makes an exception of).
std::string text_of(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  std::string text;
  std::array<char, 1024> piece{};
  for (ssize_t got = 0; (got = ::read(descriptor, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  ::close(descriptor);
  return text;
}

// proc(5): field 22 of /proc/PID/stat; the second field, the program's name in brackets, may hold spaces. Nothing where
// there is no such process, or one that has ended and is only waited for.
std::optional<std::uint64_t> start_of(std::int64_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t behind_name = stat.rfind(')');
  if (behind_name == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(behind_name + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  constexpr int kBefore = 18;  // fields 4 to 21
  std::string skipped;
  for (int i = 0; i < kBefore; ++i) fields >> skipped;
  std::uint64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  return start;
}

}  // namespace

BootId boot_id() {
  BootId boot{};
  std::size_t digits = 0;
  for (const char c : text_of("/proc/sys/kernel/random/boot_id")) {
    const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value < 0 || digits >= 32) continue;
    std::uint64_t& half = boot[digits++ / 16];
    half = half << 4U | static_cast<std::uint64_t>(value);
  }
  return digits == 32 ? boot : BootId{};
}

ProcessIdentity this_process() {
  ProcessIdentity mine;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) mine.host = name.data();
  mine.boot = boot_id();
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) == 0) mine.pid_namespace = status.st_ino;
  mine.pid = ::getpid();
  mine.start = start_of(mine.pid).value_or(0);
  return mine;
}

std::optional<bool> is_alive(const ProcessIdentity& process) {
  const ProcessIdentity mine = this_process();
  const bool comparable = process.boot != BootId{} && process.boot == mine.boot && process.pid_namespace != 0 &&
                          process.pid_namespace == mine.pid_namespace && process.pid > 0 && process.start != 0;
  if (!comparable) return std::nullopt;
  return start_of(process.pid) == process.start;
}

}  // namespace weft
