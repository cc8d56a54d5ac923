#include "weft/storage/file_end.hpp"

#include <optional>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/storage/undo_file.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

std::uint64_t end_of_file(const std::string& path) {
  const std::optional<Superblock> superblock = read_superblock(*open_store(path, OpenMode::read));
  if (superblock && superblock->intact) return superblock->end_of_file;
  throw Error(ErrorKind::data, path, "has a damaged superblock", "nothing it says can be trusted");
}

void move_end_ahead(const std::string& path, std::uint64_t end) {
  set_size(path, end);
  const auto store = open_store(path, OpenMode::metadata);
  set_end_of_file(*store, end);
  store->close();
}

void cut_end(const std::string& path, std::uint64_t end) {
  const auto store = open_store(path, OpenMode::metadata);
  set_end_of_file(*store, end);
  store->close();
  set_size(path, end);
}

}  // namespace weft::storage
