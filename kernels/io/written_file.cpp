#include "kernels/io/written_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>

#include "weft/support/error.hpp"

namespace weft::kernels {

void check_written(const std::string& path, std::uint64_t bytes) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) throw system_error(path, "cannot be found after it was written", errno);
  struct statvfs disk {};
  const bool is_full = ::statvfs(path.c_str(), &disk) == 0 && disk.f_blocks > 0 && disk.f_bfree == 0;
  const auto found = static_cast<std::uint64_t>(file.st_size);
  if (found == bytes && !is_full) return;
  throw Error(ErrorKind::system, path,
              found == bytes
                  ? "may be incomplete: No space left on device"
                  : fmt::format("has {} of {} bytes{}", found, bytes, is_full ? ": No space left on device" : ""),
              "make room, or write elsewhere");
}

}  // namespace weft::kernels
