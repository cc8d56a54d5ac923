// weft/repack/skeleton.hpp - a copy of an HDF5 file, all of it but the elements of the datasets that are laid out anew.
//
// Kept: groups and the order of their links, hard, soft, external and user-defined links, committed types, attributes,
// comments, references, dimension scales, the file's creation properties and user block, and every other dataset as it
// is stored (its chunks are copied undecoded). Not collective: one rank makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/shape.hpp"

namespace weft::repack {

// How a dataset will be stored.
struct NewLayout {
  std::string path;
  Shape chunk;
  std::vector<storage::Filter> filters;
  bool space_at_once = false;  // all chunks get their place when the file is made; else as they are written
};

struct SkeletonReport {
  std::uint64_t copied_datasets = 0;  // those kept as they are
  std::uint64_t lost_references = 0;  // to objects that no name leads to
};

// The properties a file like this one is created with: user block, sizes, how its root keeps links.
storage::Handle file_creation(hid_t file);

// For a file whose metadata are wanted at its front (repack/paging.hpp). HDF5 keeps the mappings of virtual datasets,
// and texts and lists of attributes, among the data: mappings are made before anything else then.
struct FrontRoom {
  std::function<void()> make;  // called when the mappings are there, and no data
  std::function<void()> free;  // called when all objects are there, and none of their attributes
};

// Fills the empty file `to`, but for its user block. `check` is called for every object and throws to stop. Throws
// Error(data) where `from` is damaged, Error(system) where `to` cannot be written.
SkeletonReport copy_skeleton(hid_t from, hid_t to, const std::vector<NewLayout>& anew,
                             const std::function<void()>& check, const std::optional<FrontRoom>& front = {});

}  // namespace weft::repack
