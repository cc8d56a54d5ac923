#include "weft/verify/compared_file.hpp"

#include "weft/survey/open_file.hpp"

namespace weft::verify {

namespace {

survey::ObjectWalk walk_quietly(hid_t file) {
  const storage::QuietHdf5 quiet;
  return survey::walk_objects(file);
}

}  // namespace

ComparedFile::ComparedFile(const std::string& file_path)
    : path(file_path), file(survey::open_file(file_path)), walk(walk_quietly(file)), names(file, walk) {}

}  // namespace weft::verify
