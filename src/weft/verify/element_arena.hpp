// weft/verify/element_arena.hpp - memory for elements of variable length, with an end to it.
//
// HDF5 asks for a piece for every text and list it reads; they are given back all at once. A damaged length gets no
// memory, and the read fails instead of the machine.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"

namespace weft::verify {

class ElementArena {
 public:
  explicit ElementArena(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  ElementArena(const ElementArena&) = delete;
  ElementArena& operator=(const ElementArena&) = delete;

  // For reads whose elements are to lie here; the arena must outlive them.
  storage::Handle transfer_properties() {
    storage::Handle properties(H5Pcreate(H5P_DATASET_XFER));
    H5Pset_vlen_mem_manager(properties, allocate, this, release, nullptr);
    return properties;
  }

  void clear() {
    blocks_.clear();
    used_ = 0;
    refused_ = 0;
  }
  // The bytes that were asked for and refused since it was cleared; 0 where none were.
  std::uint64_t refused() const { return refused_; }

 private:
  static void* allocate(std::size_t bytes, void* self) {
    auto& arena = *static_cast<ElementArena*>(self);
    if (bytes > arena.most_bytes_ - arena.used_) {
      arena.refused_ = bytes;
      return nullptr;
    }
    arena.used_ += bytes;
    return arena.blocks_.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  }
  static void release(void*, void*) {}  // all at once, by clear()

  std::uint64_t most_bytes_;
  std::uint64_t used_ = 0;
  std::uint64_t refused_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace weft::verify
