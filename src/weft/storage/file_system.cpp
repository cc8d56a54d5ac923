#include "weft/storage/file_system.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace weft::storage {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view type, const std::array<std::string_view, N>& known) {
  return std::find(known.begin(), known.end(), type) != known.end();
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t comma = options.find(',');
    if (options.substr(0, comma) == wanted) return true;
    if (comma == std::string_view::npos) return false;
    options.remove_prefix(comma + 1);
  }
  return false;
}

// Spaces and the like stand as \040 in mountinfo.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool lies_below(std::string_view path, std::string_view mount) {
  if (mount == "/") return true;
  return path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/');
}

constexpr long kZfsMagic = 0x2FC12FC1;  // which linux/magic.h does not have, as OpenZFS is no part of Linux

}  // namespace

bool is_of_one_machine(long number) {
  constexpr std::array kLocal{static_cast<long>(EXT4_SUPER_MAGIC),      static_cast<long>(XFS_SUPER_MAGIC),
                              static_cast<long>(BTRFS_SUPER_MAGIC),     static_cast<long>(F2FS_SUPER_MAGIC),
                              static_cast<long>(TMPFS_MAGIC),           static_cast<long>(RAMFS_MAGIC),
                              static_cast<long>(OVERLAYFS_SUPER_MAGIC), kZfsMagic};
  return std::find(kLocal.begin(), kLocal.end(), number) != kLocal.end();
}

bool FileSystem::locks_reach_all() const {
  if (one_machine()) return true;
  if (type == "lustre") return has_option(options, "flock");
  if (type == "nfs4") return !has_option(options, "local_lock=all") && !has_option(options, "local_lock=posix");
  if (type == "nfs") {
    return !has_option(options, "nolock") && !has_option(options, "local_lock=all") &&
           !has_option(options, "local_lock=posix");
  }
  constexpr std::array<std::string_view, 5> kGlobal{"ceph", "fuse.ceph-fuse", "fuse.glusterfs", "gpfs", "gfs2"};
  return is_one_of(type, kGlobal);
}

Sharing FileSystem::sharing() const {
  constexpr std::array<std::string_view, 9> kPlainly{"lustre", "ceph", "fuse.ceph-fuse", "fuse.glusterfs", "gpfs",
                                                     "beegfs", "gfs2", "ocfs2",          "pvfs2"};
  if (one_machine() || is_one_of(type, kPlainly)) return Sharing::plainly;
  const char* known_here = std::getenv("WEFT_SHARED_FILE_SYSTEMS");
  if (known_here != nullptr && has_option(known_here, type)) return Sharing::plainly;
  return type == "nfs" || type == "nfs4" ? Sharing::past_the_cache : Sharing::never;
}

DirectGain FileSystem::direct_gain() const {
  if (number == EXT4_SUPER_MAGIC || number == XFS_SUPER_MAGIC) return DirectGain::large_series;
  // FUSE cuts a cached write into pieces of 128 KiB and sends one at a time, the file locked; a direct one's all at
  // once.
  return type == "fuse.glusterfs" ? DirectGain::large_requests : DirectGain::none;
}

std::uint64_t FileSystem::alignment() const {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::array<std::string_view, 4> kByPage{"lustre", "gpfs", "nfs", "nfs4"};
  return is_one_of(type, kByPage) ? kPage : 0;
}

FileSystem find_mount(std::string_view mountinfo, std::string_view path) {
  FileSystem found;
  std::size_t longest = 0;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    // 36 35 98:0 /root /mount options optional... - type source super-options
    std::istringstream words(line);
    std::array<std::string, 6> head;
    for (std::string& word : head) words >> word;
    std::string word;
    while (words >> word && word != "-") {
    }
    std::string type;
    std::string source;
    std::string super_options;
    words >> type >> source >> super_options;
    const std::string mount = without_escapes(head[4]);
    // Of two on one place the later hides the earlier.
    if (type.empty() || !lies_below(path, mount) || mount.size() < longest) continue;
    longest = mount.size();
    found = {0, type, head[5] + "," + super_options};
  }
  return found;
}

FileSystem file_system_of(const std::string& path) {
  std::error_code problem;
  std::filesystem::path place = std::filesystem::canonical(path, problem);
  if (problem) place = std::filesystem::weakly_canonical(std::filesystem::absolute(path), problem);
  std::ifstream file("/proc/self/mountinfo");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  FileSystem found = find_mount(text, place.string());
  struct statfs status {};
  for (std::filesystem::path there = place;; there = there.parent_path()) {
    if (::statfs(there.c_str(), &status) == 0) {
      found.number = static_cast<long>(status.f_type);
      break;
    }
    if (there == there.parent_path()) break;
  }
  return found;
}

}  // namespace weft::storage
