#include "cli/solver.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/companions.hpp"
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
  if (fs::read_symlink("/proc/self/exe", none).filename() == kProgram) return;
  std::vector<std::string> words = own_arguments();
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string program = own_file(kProgram);
  execv(program.c_str(), argv.data());
  throw system_error(program, "cannot be started", errno);
}

#else

void become_solver() {}

#endif

}  // namespace weft::cli
