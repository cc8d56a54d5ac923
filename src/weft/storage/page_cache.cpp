#include "weft/storage/page_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace weft::storage {

namespace {

constexpr off_t kLooks = 16;

// Whether the byte at this place could be had without waiting for a disk; where that cannot be told, yes.
bool in_memory(int descriptor, off_t offset) {
  char byte = 0;
  const iovec piece{&byte, 1};
  return ::preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT) >= 0 || errno != EAGAIN;
}

}  // namespace

bool forget_pages(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat status {};
  bool forgotten = ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 && ::fstat(descriptor, &status) == 0 &&
                   status.st_size > 0;
  for (off_t look = 0; forgotten && look < kLooks; ++look) {
    forgotten = !in_memory(descriptor, (status.st_size - 1) / kLooks * look);
  }
  ::close(descriptor);
  return forgotten;
}

}  // namespace weft::storage
