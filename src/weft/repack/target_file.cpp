#include "weft/repack/target_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/support/error.hpp"
#include "weft/support/quantity.hpp"

namespace weft::repack {

namespace {

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// A link to the file stays one: what it leads to is replaced.
std::string real_path(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path real = std::filesystem::canonical(path, problem);
  return problem ? path : real.string();
}

}  // namespace

std::string part_path(const std::string& out) { return real_path(out) + ".weft-part"; }

std::string spill_path(const std::string& part) { return part + "-spill"; }

void remove_parts(const std::string& out) {
  const std::string part = part_path(out);
  ::unlink(part.c_str());
  ::unlink(spill_path(part).c_str());
}

TargetFile::TargetFile(const std::string& in, const std::string& out, bool in_place, bool overwrite)
    : in_(in), out_(out) {
  struct stat status {};
  if (same_file(in, out)) {
    if (!in_place) {
      throw Error(ErrorKind::usage, out, "is the file that is read", "name another, or say --in-place");
    }
    out_ = real_path(out);
  } else if (::stat(out.c_str(), &status) == 0) {
    if (!overwrite) throw Error(ErrorKind::usage, out, "is there already", "name another, or say --overwrite");
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::usage, out, "is no ordinary file", "name another");
    out_ = real_path(out);
  }
  part_ = part_path(out_);
  if (::unlink(part_.c_str()) != 0 && errno != ENOENT) throw system_error(part_, "cannot be removed", errno);
  // Refused here rather than in HDF5's words.
  storage::open_posix(part_, storage::OpenMode::create)->close();
}

TargetFile::~TargetFile() {
  if (finished_) return;
  // HDF5 may still have it open, and takes the library down with it when it cannot write what it holds: on a full disk
  // that needs room, which what was written so far gives back.
  if (::truncate(part_.c_str(), 0) != 0) errno = 0;
  ::unlink(part_.c_str());
}

void TargetFile::check_length(std::uint64_t bytes) const {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return;
  throw system_error(out_, fmt::format("cannot become {} long", format_bytes(bytes)), EFBIG);
}

void TargetFile::finish(bool sync) {
  struct stat status {};
  const std::string& like = same_file(in_, out_) ? out_ : in_;
  if (::stat(like.c_str(), &status) == 0 && ::chmod(part_.c_str(), status.st_mode & 07777U) != 0) {
    throw system_error(part_, "cannot be given its permissions", errno);
  }
  if (sync) storage::open_posix(part_, storage::OpenMode::write)->sync();
  if (::rename(part_.c_str(), out_.c_str()) != 0) throw system_error(out_, "cannot be given its name", errno);
  finished_ = true;
}

void copy_user_block(const std::string& from, const std::string& to, unsigned long long bytes) {
  if (bytes == 0) return;
  std::vector<std::byte> block(bytes);
  storage::open_posix(from, storage::OpenMode::read)->read_at(0, storage::MutableBytes(block));
  const auto store = storage::open_posix(to, storage::OpenMode::write);
  store->write_at(0, storage::Bytes(block));
  store->close();
}

}  // namespace weft::repack
