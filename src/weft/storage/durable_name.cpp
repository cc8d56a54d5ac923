#include "weft/storage/durable_name.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr int kMostLinks = 40;  // as Linux follows them

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder that may be written but not read (a drop box) cannot be opened, and so not be synced.
  if (descriptor < 0 && errno == EACCES) return;
  if (descriptor < 0) throw system_error(folder, "cannot open the folder", errno);
  const int refused = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  const bool impossible = refused == EINVAL || refused == ENOTSUP || refused == EBADF;  // some network file systems
  if (refused != 0 && !impossible) throw system_error(folder, "cannot flush the folder to the disk", refused);
}

}  // namespace

void replace_name(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error(to, "cannot take its name", errno);
  const std::string target = folder_of(to);
  const std::string source = folder_of(from);
  sync_folder(target);
  if (source != target) sync_folder(source);
}

bool remove_name(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return false;
    throw system_error(path, "cannot be removed", errno);
  }
  sync_folder(folder_of(path));
  return true;
}

void sync_name(const std::string& path) { sync_folder(folder_of(path)); }

std::string behind_links(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path place(path);
  std::error_code problem;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(place, problem)); ++links) {
    const fs::path target = fs::read_symlink(place, problem);
    if (problem) break;
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  return place.string();
}

void ask_for_names(const std::string& path) {
  struct statx answer {};
  ::statx(AT_FDCWD, folder_of(path).c_str(), AT_STATX_FORCE_SYNC, STATX_MTIME | STATX_CTIME, &answer);
}

}  // namespace weft::storage
