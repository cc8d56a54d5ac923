#include "stores/scratch_folder.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "weft/support/error.hpp"

namespace weft::stores {

namespace {

constexpr const char* kName = ".weft-probe-";

}  // namespace

ScratchFolder::ScratchFolder(const std::string& parent, const std::string& program, const std::string& cleaner)
    : path_(parent + "/" + kName + "XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw system_error(parent, "nothing can be written there", errno);
  start_cleaner(program, cleaner);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (pipe_ >= 0) ::close(pipe_);
  if (cleaner_ > 0) ::waitpid(cleaner_, nullptr, 0);
}

// Without a cleaner the folder is still removed in the usual case, so what fails here is no error.
void ScratchFolder::start_cleaner(const std::string& program, const std::string& cleaner) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // A session of its own: what is sent to the owner's group does not reach it.
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  std::string word = cleaner;
  std::string name = program;
  std::array<char*, 4> arguments{name.data(), word.data(), path_.data(), nullptr};
  if (::posix_spawn(&cleaner_, program.c_str(), &files, &how, arguments.data(), environ) != 0) cleaner_ = -1;
  ::posix_spawnattr_destroy(&how);
  ::posix_spawn_file_actions_destroy(&files);
  ::close(ends[0]);
  pipe_ = ends[1];
}

void clean_up_after(const std::string& folder) {
  if (folder.find(std::string("/") + kName) == std::string::npos) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  char byte = 0;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace weft::stores
