// weft/storage/chunk_watch.hpp - where HDF5 goes to read an element of an unfiltered dataset, for versions that have no
// quick way to say so (storage/chunk_list.hpp). Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"

namespace weft::storage {

class ChunkWatch {
 public:
  // Of an open dataset; `dataset` stays open as long as this lives. Nothing where the file is open for writing, where
  // HDF5 reads it by another driver than its usual one, or where reading elements is more than copying bytes.
  static std::optional<ChunkWatch> of(hid_t dataset);

  // The address of an element that begins a chunk, and so of the chunk. Nothing where the chunk has no place in the
  // file. Of the element only its place is looked up: nothing is read.
  std::optional<std::uint64_t> place_of(const std::vector<hsize_t>& element);

  // What the driver is told and tells.
  struct Sight {
    int descriptor = -1;
    bool watching = false;  // raw data are not read but their place is kept
    unsigned looks = 0;
    std::uint64_t address = 0;
  };

 private:
  ChunkWatch() = default;

  std::unique_ptr<Sight> sight_ = std::make_unique<Sight>();
  // Closed from the last to the first.
  Handle driver_;
  Handle file_;
  Handle dataset_;
  Handle type_;
  Handle space_;
  Handle one_;
  std::vector<hsize_t> ones_;
  std::vector<std::byte> value_;
};

}  // namespace weft::storage
