#include "cli/companions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "weft-";

fs::path this_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

// Where companions may be, the first that has one wins.
std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (const fs::path own = this_program(); !own.empty()) found.push_back(own.parent_path());
  const char* path = std::getenv("PATH");
  std::istringstream parts(path != nullptr ? path : "");
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) found.emplace_back(part);
  }
  return found;
}

// No path, no option: letters, digits and hyphens.
bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), is_letter);
}

bool is_program(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_companion(const std::string& name) {
  if (!is_name(name)) return std::nullopt;
  for (const fs::path& folder : folders()) {
    const fs::path file = folder / (std::string(kPrefix) + name);
    if (is_program(file)) return file.string();
  }
  return std::nullopt;
}

std::vector<std::string> companions() {
  std::set<std::string> names;
  for (const fs::path& folder : folders()) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(kPrefix)) continue;
      if (const std::string name = file.substr(kPrefix.size()); is_name(name) && is_program(entry)) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::string own_file(const std::string& name) {
  std::error_code none;
  for (const char* place : {"../lib/weft", "../" WEFT_LIBRARY_FOLDER "/weft"}) {
    const fs::path file = this_program().parent_path() / place / name;
    if (fs::exists(file, none)) return fs::canonical(file, none).string();
  }
  throw Error(ErrorKind::system, name, "is not there", "it is built and installed with the command");
}

void become_companion(const std::string& program, char** argv) {
  setenv("WEFT", this_program().c_str(), 1);
  argv[1] = const_cast<char*>(program.c_str());  // its argv[0]; execv() changes nothing
  execv(program.c_str(), argv + 1);
  throw system_error(program, "cannot be started", errno);
}

}  // namespace weft::cli
