// weft/refs/references.hpp - where the chunks of a file's datasets lie, as readers of zarr want to be told.
//
// A reader of zarr finds an array as a small description and one object a chunk. A dataset of HDF5 holds the same
// chunks, so a list of where they lie in the file makes a zarr store of it, without a copy and without a scan
// (kerchunk's "reference file system"). This is that list as plain data; refs/kerchunk_json.hpp writes it down, and
// refs/file_references.hpp makes it of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/chunk_codec.hpp"
#include "weft/support/shape.hpp"

namespace weft::refs {

// A chunk that has a place in the file.
struct ChunkReference {
  std::uint64_t number = 0;  // row-major over the grid of chunks
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;  // as stored
};

struct ArrayReferences {
  std::string path;   // in the file: "/V"
  std::string dtype;  // as zarr writes it: "<f8"
  Shape shape{};
  Shape chunk{};  // as long as the shape
  std::vector<storage::Filter> filters{};
  nlohmann::json fill =
      nullptr;  // of chunks without a place; readers of CF take it for "no value", so null if in doubt
  nlohmann::json attributes = nlohmann::json::object();  // _ARRAY_DIMENSIONS among them
  std::vector<ChunkReference> chunks{};
  std::optional<std::vector<std::byte>> values{};  // of an array that lies in its header: all of them, and no chunks

  std::uint64_t grid_chunks() const;
};

struct GroupReferences {
  std::string path;  // "/" or "/maps"
  nlohmann::json attributes = nlohmann::json::object();
};

// What the list has not, or not as one may think, and why.
struct Remark {
  std::string path;
  std::string what;
};

struct References {
  std::vector<GroupReferences> groups;
  std::vector<ArrayReferences> arrays;
  std::vector<Remark> left_out;
  std::vector<Remark> notes;
  std::optional<std::uint64_t> steps{};  // committed ones, of a series of Weft's

  std::uint64_t chunks() const;
};

}  // namespace weft::refs
