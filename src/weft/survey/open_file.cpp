#include "weft/survey/open_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>

#include "weft/storage/superblock.hpp"
#include "weft/support/amount.hpp"

namespace weft::survey {

namespace {

// What to do about a file without HDF5's signature.
std::string what_it_is(storage::ByteStore& bytes) {
  if (bytes.size() == 0) return "it is empty: name another";
  std::array<char, 3> begin{};
  if (bytes.size() >= begin.size()) bytes.read_at(0, std::as_writable_bytes(std::span(begin)));
  if (std::string_view(begin.data(), begin.size()) == "CDF") {
    return "it is a classic netCDF file: nccopy -k nc4 OLD NEW makes it HDF5";
  }
  return "name another";
}

}  // namespace

std::unique_ptr<storage::ByteStore> open_bytes(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(path, "cannot open", errno);
  if (S_ISDIR(status.st_mode)) throw system_error(path, "cannot open", EISDIR);
  return storage::open_store(path, storage::OpenMode::read);
}

storage::Handle open_file(const std::string& path) {
  const auto bytes = open_bytes(path);
  const std::optional<storage::Superblock> superblock = storage::read_superblock(*bytes);
  if (!superblock) throw Error(ErrorKind::data, path, "is not an HDF5 file", what_it_is(*bytes));
  if (superblock->end_of_file > bytes->size()) {
    throw Error(ErrorKind::data, path,
                fmt::format("is truncated: it has {} of {} bytes", format_count(bytes->size()),
                            format_count(superblock->end_of_file)),
                "copy it again from where it is intact");
  }
  if (superblock->marked) throw storage::marked_as_written(path);
  const storage::QuietHdf5 quiet;
  storage::Handle file = storage::open_read_only(path);
  if (!file.valid()) storage::throw_not_opened(path, "it is damaged");
  return file;
}

NamedFile named_file(const std::string& from) {
  const std::size_t colon = from.rfind(':');
  struct stat status {};
  if (colon == std::string::npos || ::stat(from.c_str(), &status) == 0) return {from};
  return {from.substr(0, colon), from.substr(colon + 1)};
}

}  // namespace weft::survey
