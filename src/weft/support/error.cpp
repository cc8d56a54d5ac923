#include "weft/support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft {

namespace {

std::string one_line(std::string_view where, std::string_view what, std::string_view remedy) {
  std::string line;
  if (!where.empty()) line += fmt::format("{}: ", where);
  line += what;
  if (!remedy.empty()) line += fmt::format("; {}", remedy);
  std::replace(line.begin(), line.end(), '\n', ' ');  // a file name may hold a newline; the promise is one line
  return line;
}

std::string_view remedy_for(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT: return "free some space or write elsewhere; steps that are committed stay readable";
    case EACCES:
    case EPERM:
    case EROFS: return "check the permissions or choose another place";
    case ENOENT: return "check the path";
    default: return {};
  }
}

}  // namespace

Error::Error(ErrorKind kind, std::string_view where, std::string_view what, std::string_view remedy)
    : std::runtime_error(one_line(where, what, remedy)), kind_(kind) {}

Error system_error(std::string_view where, std::string_view what, int errno_value) {
  return Error(ErrorKind::system, where, fmt::format("{}: {}", what, std::strerror(errno_value)),
               remedy_for(errno_value))
      .with_errno(errno_value);
}

}  // namespace weft
