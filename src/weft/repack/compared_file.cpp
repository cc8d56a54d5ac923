#include "weft/repack/compared_file.hpp"

#include "weft/repack/open_file.hpp"

namespace weft::repack {

namespace {

ObjectWalk walk_quietly(hid_t file) {
  const storage::QuietHdf5 quiet;
  return walk_objects(file);
}

}  // namespace

ComparedFile::ComparedFile(const std::string& file_path)
    : path(file_path), file(open_file(file_path)), walk(walk_quietly(file)), names(file, walk) {}

}  // namespace weft::repack
