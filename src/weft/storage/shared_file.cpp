#include "weft/storage/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include "weft/storage/durable_name.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/support/error.hpp"
#include "weft/support/process_identity.hpp"

namespace weft::storage {

std::vector<std::uint64_t> client_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const std::string folder = std::filesystem::path(path).parent_path();
    if (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0) throw system_error(path, "cannot open", errno);
  }
  const BootId boot = boot_id();
  return {boot[0], boot[1], static_cast<std::uint64_t>(status.st_dev)};
}

OpenMode shared_mode(Communicator& comm, const std::string& path) {
  if (comm.size() == 1) return OpenMode::write;
  std::vector<std::uint64_t> client;
  agree_on(comm, [&] { client = client_of(path); });
  bool several = false;
  for (const std::uint64_t word : client) several = comm.min(word) != comm.max(word) || several;
  if (!several) return OpenMode::write;
  OpenMode mode = OpenMode::write;
  agree_on(comm, [&] {
    const FileSystem system = file_system_of(path);
    if (system.sharing() == Sharing::past_the_cache) mode = OpenMode::direct;
    if (system.sharing() != Sharing::never) return;
    throw Error(
        ErrorKind::usage, path,
        fmt::format("the ranks run on several machines, and {} does not promise to keep what one machine writes "
                    "beside another's bytes",
                    system.type.empty() ? "this file system" : system.type),
        "run on one machine, or write to a parallel file system; where it is one, name its type in "
        "WEFT_SHARED_FILE_SYSTEMS");
  });
  return mode;
}

std::string whole_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(path, failed);
  return failed ? path : whole.string();
}

std::uint64_t inode_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_ino;
  ask_for_names(path);
  if (::stat(path.c_str(), &status) == 0) return status.st_ino;
  throw system_error(path, "cannot open", errno);
}

void find_one_file(Communicator& comm, const std::string& path) {
  std::vector<std::byte> told(sizeof(std::uint64_t));
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    ask_for_names(path);
    const std::uint64_t inode = inode_of(path);
    std::memcpy(told.data(), &inode, sizeof inode);
  });
  if (comm.size() == 1) return;
  comm.broadcast(told, 0);
  agree_on(comm, [&] {
    std::uint64_t inode = 0;
    std::memcpy(&inode, told.data(), sizeof inode);
    if (inode_of(path) == inode) return;
    ask_for_names(path);
    if (inode_of(path) == inode) return;
    throw Error(ErrorKind::system, path,
                fmt::format("rank {} finds a different file under this name than rank 0", comm.rank()),
                "mount the same folder on all machines; if it is the same, try again in a minute");
  });
}

void look_past_cache(const std::string& path) {
  if (file_system_of(path).sharing() == Sharing::plainly) return;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  ::close(descriptor);
}

}  // namespace weft::storage
