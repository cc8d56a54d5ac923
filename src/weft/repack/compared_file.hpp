// weft/repack/compared_file.hpp - one of the two files that are compared: open, walked, and where its references lead.
#pragma once

#include <string>

#include "weft/repack/elements.hpp"
#include "weft/repack/object_walk.hpp"
#include "weft/storage/hdf5_handle.hpp"

namespace weft::repack {

struct ComparedFile {
  explicit ComparedFile(const std::string& file_path);
  ComparedFile(const ComparedFile&) = delete;
  ComparedFile& operator=(const ComparedFile&) = delete;

  std::string path;
  storage::Handle file;
  ObjectWalk walk;
  ReferenceNames names;
};

}  // namespace weft::repack
