#include "weft/storage/writer_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <sstream>
#include <thread>
#include <utility>

#include "weft/storage/durable_name.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

using namespace std::chrono_literals;

constexpr off_t kWriterByte = 0;
constexpr off_t kRanksByte = 1;
constexpr auto kWaitForRanks = 20s;  // for those of a dead writer: a launcher ends them within seconds
constexpr auto kWaitForEnd = 2s;     // for a writer that has let go of the lock
constexpr auto kLookAgain = 20ms;
constexpr std::size_t kMostText = 4096;

enum class SystemLock : std::uint8_t { taken, refused, unknown };  // unknown: the file system has none

SystemLock try_lock(int descriptor, short kind, off_t byte) {
  struct flock wish {};
  wish.l_type = kind;
  wish.l_whence = SEEK_SET;
  wish.l_start = byte;
  wish.l_len = 1;
  while (::fcntl(descriptor, F_OFD_SETLK, &wish) != 0) {
    if (errno == EAGAIN || errno == EACCES) return SystemLock::refused;
    if (errno != EINTR) return SystemLock::unknown;
  }
  return SystemLock::taken;
}

bool is_locked(int descriptor, off_t byte) {
  struct flock question {};
  question.l_type = F_WRLCK;
  question.l_whence = SEEK_SET;
  question.l_start = byte;
  question.l_len = 1;
  return ::fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK;
}

std::string read_text(int descriptor) {
  std::array<char, kMostText> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// A holder that goes removes the file: whoever opened it before has a lock on nothing.
bool is_still_there(int descriptor, const std::string& path) {
  struct stat mine {};
  struct stat there {};
  return ::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

int open_lock(const std::string& path, const std::string& lock_path, int flags) {
  int descriptor = ::open(lock_path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == ENOENT && (flags & O_CREAT) == 0) {
    ask_for_names(lock_path);
    descriptor = ::open(lock_path.c_str(), flags | O_CLOEXEC, 0666);
  }
  if (descriptor >= 0 || (flags & O_CREAT) == 0) return descriptor;
  throw system_error(path, fmt::format("cannot be locked: {}", lock_path), errno);
}

// As is_alive(), of a writer that does not hold the system's lock. A process that was killed lets go of its locks a
// moment before it is gone, and a busy machine makes that moment long: it is waited for.
std::optional<bool> is_alive_without_lock(const ProcessIdentity& process) {
  const auto until = std::chrono::steady_clock::now() + kWaitForEnd;
  std::optional<bool> alive = is_alive(process);
  while (alive == true && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kLookAgain);
    alive = is_alive(process);
  }
  return alive;
}

Error held_by(const std::string& path, const std::string& text) {
  const std::optional<LockHolder> holder = lock_holder_from(text);
  return {ErrorKind::usage, path,
          fmt::format("is being written by {}", holder ? holder->describe() : "another program"),
          "wait for it to end, or end it"};
}

bool writer_lives(const std::string& path, std::optional<bool> (&alive_without_lock)(const ProcessIdentity&)) {
  const int descriptor = open_lock(path, lock_file(path), O_RDONLY);
  if (descriptor < 0) return false;
  const std::optional<LockHolder> holder = lock_holder_from(read_text(descriptor));
  const bool lives = is_locked(descriptor, kWriterByte) || (holder && alive_without_lock(holder->process) == true);
  ::close(descriptor);
  return lives;
}

}  // namespace

std::string lock_file(const std::string& path) { return behind_links(path) + ".weft-lock"; }

std::string LockHolder::describe() const {
  return fmt::format("{} (process {} on {}, since {})", work, process.pid, process.host, since);
}

std::string to_text(const LockHolder& holder) {
  const ProcessIdentity& p = holder.process;
  return fmt::format(
      "weft-lock 1\nhost {}\nboot {:016x}{:016x}\nnamespace {}\nprocess {}\nstart {}\nsince {}\nwork {}\nend\n", p.host,
      p.boot[0], p.boot[1], p.pid_namespace, p.pid, p.start, holder.since, holder.work);
}

std::optional<LockHolder> lock_holder_from(const std::string& text) {
  LockHolder holder;
  std::istringstream lines(text);
  bool begun = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    std::istringstream number(value);
    if (word == "weft-lock") begun = value == "1";
    if (word == "host") holder.process.host = value;
    if (word == "boot" && value.size() == 32) {
      for (std::size_t half = 0; half < 2; ++half) {
        std::istringstream digits(value.substr(16 * half, 16));
        digits >> std::hex >> holder.process.boot[half];
      }
    }
    if (word == "namespace") number >> holder.process.pid_namespace;
    if (word == "process") number >> holder.process.pid;
    if (word == "start") number >> holder.process.start;
    if (word == "since") holder.since = value;
    if (word == "work") holder.work = value;
    if (word == "end") return begun ? std::optional(holder) : std::nullopt;
  }
  return std::nullopt;
}

WriterLock WriterLock::take(const std::string& path, const LockWish& wish) {
  const std::string lock_path = lock_file(path);
  constexpr int kTries = 100;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    WriterLock lock(lock_path, open_lock(path, lock_path, O_RDWR | O_CREAT), false);
    const SystemLock answer = try_lock(lock.descriptor_, F_WRLCK, kWriterByte);
    if (!is_still_there(lock.descriptor_, lock_path)) continue;  // its holder has just gone
    if (answer == SystemLock::refused) throw held_by(path, read_text(lock.descriptor_));
    lock.taken_over_ = lock.clear_predecessor(path, answer == SystemLock::taken, wish);
    lock.holder_ = true;
    lock.write_holder(wish);
    if (answer == SystemLock::unknown) {
      // Two may have come at once: the one whose words stay has it.
      std::this_thread::sleep_for(5 * kLookAgain);
      const std::optional<LockHolder> holder = lock_holder_from(read_text(lock.descriptor_));
      lock.holder_ = holder && holder->process == this_process() && is_still_there(lock.descriptor_, lock_path);
      if (!lock.holder_) throw held_by(path, read_text(lock.descriptor_));
    }
    try_lock(lock.descriptor_, F_RDLCK, kRanksByte);
    return lock;
  }
  throw Error(ErrorKind::system, path, fmt::format("cannot be locked: {} appears and disappears", lock_path),
              "other programs change this file all the time; try again later");
}

// Whether there was a holder, who is dead; throws where nobody may say so. `system_lock`: nobody holds the system's.
bool WriterLock::clear_predecessor(const std::string& path, bool system_lock, const LockWish& wish) const {
  const std::string text = read_text(descriptor_);
  if (text.empty()) return false;
  const std::optional<LockHolder> holder = lock_holder_from(text);
  const std::optional<bool> alive = holder ? is_alive_without_lock(holder->process) : std::nullopt;
  if (alive == true) throw held_by(path, text);
  const bool here = holder && holder->process.boot != BootId{} && holder->process.boot == boot_id();
  const bool proven = alive == false || (system_lock && (here || file_system_of(path).locks_reach_all()));
  const std::string who = holder ? holder->describe() : "another program";
  if (!proven && !wish.take_over) {
    throw Error(ErrorKind::usage, path,
                fmt::format("was being written by {}, and it cannot be seen from here whether that has ended", who),
                "make sure that it has, and use --take-over");
  }
  const auto until = std::chrono::steady_clock::now() + kWaitForRanks;
  while (try_lock(descriptor_, F_WRLCK, kRanksByte) == SystemLock::refused) {
    if (std::chrono::steady_clock::now() > until) {
      throw Error(ErrorKind::usage, path, fmt::format("is still open in ranks of {}, which has died", who),
                  "end them, or wait for them to end");
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

void WriterLock::write_holder(const LockWish& wish) const {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const LockHolder mine{this_process(), wish.work, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))};
  const std::string text = to_text(mine);
  const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                       ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!written) throw system_error(path_, "cannot be written", errno);
  // Others will open it, perhaps on other machines (storage/hand_over.hpp).
  if (!file_system_of(path_).one_machine()) ::fdatasync(descriptor_);
}

WriterLock WriterLock::join(const std::string& path) {
  const std::string lock_path = lock_file(path);
  WriterLock lock(lock_path, open_lock(path, lock_path, O_RDONLY), false);
  if (lock.descriptor_ >= 0) try_lock(lock.descriptor_, F_RDLCK, kRanksByte);
  return lock;
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      holder_(std::exchange(other.holder_, false)),
      taken_over_(other.taken_over_) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(holder_, other.holder_);
  std::swap(taken_over_, other.taken_over_);
  return *this;
}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  if (holder_ && is_still_there(descriptor_, path_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

bool has_living_writer(const std::string& path) { return writer_lives(path, is_alive); }

void check_no_living_writer(const std::string& path) {
  if (!writer_lives(path, is_alive_without_lock)) return;
  const std::optional<LockHolder> holder = lock_holder(path);
  throw held_by(path, holder ? to_text(*holder) : "");
}

std::optional<LockHolder> lock_holder(const std::string& path) {
  const int descriptor = open_lock(path, lock_file(path), O_RDONLY);
  if (descriptor < 0) return std::nullopt;
  const std::string text = read_text(descriptor);
  ::close(descriptor);
  return lock_holder_from(text);
}

}  // namespace weft::storage
