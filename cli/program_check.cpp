#include "cli/program_check.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

namespace fs = std::filesystem;

bool can_run(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

// The interpreter in the first line of a script; of /usr/bin/env the program that it looks for.
std::string interpreter_of(const std::string& line) {
  std::istringstream words(line.substr(2));
  std::string first;
  std::string second;
  words >> first >> second;
  if (fs::path(first).filename() == "env" && !second.empty() && second[0] != '-') return find_program(second);
  return first;
}

// It has an interpreter of its own: the loader, which reads LD_PRELOAD.
bool has_loader(std::ifstream& file, const Elf64_Ehdr& head) {
  for (int at = 0; at < head.e_phnum; ++at) {
    Elf64_Phdr part{};
    file.seekg(static_cast<std::streamoff>(head.e_phoff + static_cast<std::uint64_t>(at) * head.e_phentsize));
    file.read(reinterpret_cast<char*>(&part), sizeof part);
    if (file && part.p_type == PT_INTERP) return true;
  }
  return false;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    std::error_code none;
    if (!fs::exists(name, none)) throw system_error(name, "cannot be started", ENOENT);
    if (!can_run(name)) throw Error(ErrorKind::usage, name, "is not a program", "name one that can be run");
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (can_run(file)) return file.string();
  }
  throw Error(ErrorKind::usage, name, "is no program in PATH", "give its path");
}

void check_program(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) throw system_error(path, "cannot be started", errno);
  const bool is_root = geteuid() == 0;
  if ((about.st_mode & (S_ISUID | S_ISGID)) != 0 ||
      (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0 && !is_root)) {
    throw Error(ErrorKind::usage, path, "runs with rights of its own (setuid, setgid or capabilities)",
                "the system loads no library before such a program; run a copy without these rights");
  }
  std::ifstream file(path, std::ios::binary);
  std::array<char, 2> magic{};
  file.read(magic.data(), magic.size());
  if (!file) throw Error(ErrorKind::usage, path, "cannot be read", "weft with looks whether it is dynamically linked");
  if (std::memcmp(magic.data(), "#!", 2) == 0) {
    file.seekg(0);
    std::string line;
    std::getline(file, line);
    const std::string interpreter = interpreter_of(line);
    if (!interpreter.empty()) check_program(interpreter);
    return;
  }
  Elf64_Ehdr head{};
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;  // the shell will know what it is
  if (!file || head.e_ident[EI_CLASS] != ELFCLASS64) {
    throw Error(ErrorKind::usage, path, "is a 32-bit program", "weft with serves 64-bit programs");
  }
  if (!has_loader(file, head)) {
    throw Error(ErrorKind::usage, path, "is statically linked",
                "nothing can be put before its HDF5; link it with the shared library of HDF5");
  }
}

}  // namespace weft::cli
