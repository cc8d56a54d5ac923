#include "weft/storage/open_elsewhere.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace weft::storage {

bool is_open_for_writing(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool refused = ::fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
  ::fcntl(descriptor, F_SETLEASE, F_UNLCK);
  ::close(descriptor);
  return refused;
}

}  // namespace weft::storage
