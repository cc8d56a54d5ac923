#include "cli/solver.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::cli {

#ifdef WEFT_HAVE_SOLVER

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "weft-solve";

// As the process was started, its name included.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

void become_solver() {
  std::error_code none;
  const fs::path own = fs::read_symlink("/proc/self/exe", none);
  if (own.filename() == kProgram) return;
  std::vector<std::string> words = own_arguments();
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const char* place : {"../lib/weft", "../" WEFT_LIBRARY_FOLDER "/weft"}) {
    const fs::path file = own.parent_path() / place / kProgram;
    if (!fs::exists(file, none)) continue;
    execv(file.c_str(), argv.data());
    throw system_error(file.string(), "cannot be started", errno);
  }
  throw Error(ErrorKind::system, kProgram, "is not there", "it is built and installed with the command");
}

#else

void become_solver() {}

#endif

}  // namespace weft::cli
