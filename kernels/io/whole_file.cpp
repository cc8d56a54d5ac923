#include "kernels/io/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

struct Descriptor {
  int number;
  explicit Descriptor(const std::string& path) : number(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number < 0) throw system_error(path, "cannot be read", errno);
  }
  ~Descriptor() { ::close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

// Bytes of holes. A file system that knows none has none.
std::uint64_t bytes_of_holes(int file, off_t size) {
  std::uint64_t bytes = 0;
  off_t hole = ::lseek(file, 0, SEEK_HOLE);
  while (hole >= 0 && hole < size) {
    off_t data = ::lseek(file, hole, SEEK_DATA);
    if (data < 0) data = size;  // nothing but a hole behind it
    bytes += static_cast<std::uint64_t>(data - hole);
    hole = data < size ? ::lseek(file, data, SEEK_HOLE) : size;
  }
  return bytes;
}

}  // namespace

void check_whole(const std::string& path, std::uint64_t bytes) {
  const Descriptor file(path);
  struct stat status {};
  struct statvfs disk {};
  if (::fstat(file.number, &status) != 0 || ::fstatvfs(file.number, &disk) != 0) {
    throw system_error(path, "cannot be read", errno);
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const char* const remedy = "the disk may be full: free some space, or write elsewhere";
  if (size != bytes) {
    throw Error(ErrorKind::system, path,
                fmt::format("has {} of {} bytes, though MPI-IO wrote them all without an error", size, bytes), remedy);
  }
  const std::uint64_t missing = bytes_of_holes(file.number, status.st_size);
  if (missing > static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize) {
    throw Error(ErrorKind::system, path,
                fmt::format("lacks {} bytes inside, though MPI-IO wrote them all without an error", missing), remedy);
  }
}

}  // namespace weft::kernels
