// weft/refs/file_references.hpp - the references of an HDF5 file that anybody wrote.
//
// Datasets of numbers that are chunked, contiguous or compact, and virtual ones of one run (refs/virtual_run.hpp). Of a
// series of Weft's: its committed steps alone, and not what the file needs for itself (/weft, /VTKHDF). Nothing is
// scanned: only metadata are read.
//
// What has no place in such a list is told as left out: text, compounds, virtual and external datasets, links. What
// would read as other values is refused: filters that zarr's readers have not, chunks that some filter skipped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/refs/references.hpp"

namespace weft::refs {

struct ReferenceRequest {
  std::string path;
  std::vector<std::string> datasets{};                        // "/V" or "V"; none: all
  std::function<void(const std::string& dataset)> looking{};  // called now and then with the path of the one looked at
};

// Throws Error(data) where a dataset's values could not be read right through references, where the file is no HDF5
// file or damaged, Error(usage) for a dataset that is not there, Error(system) where the file cannot be opened. Not
// collective.
References references_of(const ReferenceRequest& request);

}  // namespace weft::refs
