#include "weft/storage/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/durable_name.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

Error is_there(const std::string& path) {
  return {ErrorKind::usage, path, "exists already", "name another, or allow it to be replaced"};
}

// What can be given a name that nothing has yet, in one step; false where the file system cannot.
bool rename_to_a_free_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) throw is_there(to);
  if (errno != EINVAL && errno != ENOSYS) throw system_error(to, "cannot be given its name", errno);
  return false;
}

}  // namespace

std::string part_path(const std::string& path) { return behind_links(path) + ".weft-part"; }

std::string spill_path(const std::string& path) { return part_path(path) + "-spill"; }

bool has_parts(const std::string& path) {
  return ::access(part_path(path).c_str(), F_OK) == 0 || ::access(spill_path(path).c_str(), F_OK) == 0;
}

void remove_parts(const std::string& path) {
  remove_name(part_path(path));
  remove_name(spill_path(path));
}

void look_like(const std::string& path, const std::string& like) {
  struct stat wanted {};
  struct stat given {};
  if (::stat(like.c_str(), &wanted) != 0 || ::stat(path.c_str(), &given) != 0) return;
  // Only the superuser may give files away; of others the new file is the writer's own.
  const bool other_owner = wanted.st_uid != given.st_uid || wanted.st_gid != given.st_gid;
  if (other_owner && ::chown(path.c_str(), wanted.st_uid, wanted.st_gid) != 0) errno = 0;
  if (::chmod(path.c_str(), wanted.st_mode & 07777U) != 0) {
    throw system_error(path, "cannot be given its permissions", errno);
  }
}

NewFile::NewFile(const std::string& path, IfExists if_exists, const std::optional<LockWish>& wish)
    : path_(path), place_(behind_links(path)), part_(part_path(path)), if_exists_(if_exists) {
  struct stat status {};
  if (::stat(place_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw system_error(path_, "cannot create", EISDIR);
    if (if_exists_ == IfExists::fail) throw is_there(path_);
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::usage, path_, "is not an ordinary file", "name another");
  }
  if (wish) lock_ = WriterLock::take(path_, *wish);
  remove_parts(place_);
  // Refused here, in the system's words and with the file's own name, rather than in HDF5's.
  const int descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error(path_, "cannot create", errno);
  ::close(descriptor);
  ::unlink(part_.c_str());
}

NewFile::~NewFile() {
  if (finished_) return;
  // HDF5 may still have it open, and takes the library down with it when it cannot write what it holds: on a full disk
  // that needs room, which what was written so far gives back.
  if (::truncate(part_.c_str(), 0) != 0) errno = 0;
  ::unlink(part_.c_str());
}

void NewFile::finish(bool durable) {
  look_like(part_, place_);
  if (durable) open_store(part_, OpenMode::write)->sync();
  const bool renamed = if_exists_ == IfExists::fail && rename_to_a_free_name(part_, place_);
  if (renamed) {
    if (durable) sync_name(place_);
  } else if (durable) {
    replace_name(part_, place_);
  } else if (::rename(part_.c_str(), place_.c_str()) != 0) {
    throw system_error(path_, "cannot be given its name", errno);
  }
  finished_ = true;
  forget_metadata_changes(place_);  // they belong to the file that stood here
  lock_.reset();
}

}  // namespace weft::storage
