// weft/storage/chunk_watch.hpp - where HDF5 goes to read a chunk, filtered or not, for versions that have no quick way
// to say so (storage/chunk_list.hpp): before 1.12.3 they walk the index from its beginning for each chunk that they are
// asked for, but read it by a search. Not collective.
#pragma once

#include <hdf5.h>

#include <memory>
#include <optional>
#include <vector>

#include "weft/storage/chunk_place.hpp"
#include "weft/storage/hdf5_handle.hpp"

namespace weft::storage {

class ChunkWatch {
 public:
  // Of an open dataset; `dataset` stays open as long as this is asked. Nothing where the file is open for writing,
  // where HDF5 reads it by another driver than its usual one, or where reading elements is more than copying bytes;
  // from HDF5 1.12.3 on, never.
  static std::optional<ChunkWatch> of(hid_t dataset);

  // The chunk that begins at this element. Nothing where it has no place in the file. Only its place is looked up:
  // nothing is read.
  std::optional<ChunkPlace> chunk_at(const std::vector<hsize_t>& origin);

  // What the driver is told and tells.
  struct Sight {
    int descriptor = -1;
    bool watching = false;  // raw data are not read but their place is kept
    unsigned looks = 0;
    ChunkPlace place;
  };

 private:
  ChunkWatch() = default;

  std::unique_ptr<Sight> sight_ = std::make_unique<Sight>();
  // Closed from the last to the first.
  Handle driver_;
  Handle file_;
  Handle dataset_;
};

}  // namespace weft::storage
