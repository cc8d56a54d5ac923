// weft/verify/compared_file.hpp - one of the two files that are compared: open, walked, and where its references lead.
#pragma once

#include <string>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/survey/object_walk.hpp"
#include "weft/verify/elements.hpp"

namespace weft::verify {

struct ComparedFile {
  explicit ComparedFile(const std::string& file_path);
  ComparedFile(const ComparedFile&) = delete;
  ComparedFile& operator=(const ComparedFile&) = delete;

  std::string path;
  storage::Handle file;
  survey::ObjectWalk walk;
  ReferenceNames names;
};

}  // namespace weft::verify
