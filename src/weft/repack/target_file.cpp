#include "weft/repack/target_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/take_file.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::repack {

namespace {

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

void remove_what_died(const std::string& out) {
  std::optional<storage::WriterLock> lock;
  try {
    lock = storage::WriterLock::take(out, {"weft repack"});
  } catch (const Error&) {
    return;  // by now they are another's
  }
  storage::remove_parts(out);
}

TargetFile::TargetFile(const std::string& in, const std::string& out, bool in_place, bool overwrite, bool take_over)
    : in_(in), out_(out) {
  struct stat status {};
  const bool same = same_file(in, out);
  if (same && !in_place) {
    throw Error(ErrorKind::usage, out, "is the input file", "name another, or use --in-place");
  }
  if (!same && !overwrite && ::stat(out.c_str(), &status) == 0) {
    throw Error(ErrorKind::usage, out, "exists already", "name another, or use --overwrite");
  }
  if (in_place) {
    lock_ = storage::take_file(in, {"weft repack --in-place", take_over});
  } else {
    storage::check_no_living_writer(in);
    watch_.emplace(in);
    if (storage::metadata_leftovers(in).undo) {
      throw Error(ErrorKind::data, in, "a metadata change was interrupted", "weft recover undoes it");
    }
  }
  std::optional<storage::LockWish> wish;  // in place there is one file, which is locked
  if (!in_place) wish = {"weft repack", take_over};
  file_.emplace(out, in_place || overwrite ? storage::IfExists::replace : storage::IfExists::fail, wish);
}

void TargetFile::check_length(std::uint64_t bytes) const {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return;
  throw system_error(out_, fmt::format("cannot become {} long", format_bytes(bytes)), EFBIG);
}

void TargetFile::finish(bool durable) {
  if (watch_) {
    storage::check_no_living_writer(in_);
    if (!watch_->unchanged()) {
      throw Error(ErrorKind::usage, in_, "has changed since it was looked at", "repack it when nobody writes it");
    }
  }
  storage::look_like(part(), in_);
  file_->finish(durable);
}

void copy_user_block(const std::string& from, const std::string& to, unsigned long long bytes) {
  if (bytes == 0) return;
  std::vector<std::byte> block(bytes);
  storage::open_store(from, storage::OpenMode::read)->read_at(0, storage::MutableBytes(block));
  const auto store = storage::open_store(to, storage::OpenMode::write);
  store->write_at(0, storage::Bytes(block));
  store->close();
}

}  // namespace weft::repack
