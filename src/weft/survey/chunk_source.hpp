// weft/survey/chunk_source.hpp - where the elements of a dataset that is moved come from.
//
// Two kinds. Of an unfiltered dataset any box is read straight from the file, by any thread. A filtered one comes chunk
// by chunk: HDF5 hands over the chunk as it is stored (one thread), and whoever asked decodes it (any thread). What no
// coder of ours can decode HDF5 decodes while it hands it over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/survey/survey.hpp"

namespace weft::survey {

// Where the elements of an unfiltered dataset lie: an array of bytes, the last axis the bytes of an element, so that
// elements of any type are moved alike.
storage::ArrayEntry array_of_bytes(const std::string& path, const Shape& shape, const Shape& chunk,
                                   std::uint64_t element_bytes, storage::ChunkAddresses addresses);

// The addresses of all chunks of an open unfiltered dataset, or nothing where they are not all known
// (storage/chunk_places.hpp): then HDF5 reads them.
std::optional<storage::ArrayEntry> array_in_bytes(hid_t dataset, const DatasetFacts& facts);

// Fills `to`, row-major as box.count, from the file. Any thread.
void read_box(const storage::ArrayEntry& array, storage::ByteStore& bytes, const Box& box, storage::MutableBytes to);

// Where the chunks that have a place in the file begin, in elements, if they are not all of them and few enough for
// HDF5 to list: then a dataset of any extent that is mostly holes takes the time of what is in it.
std::optional<std::vector<Shape>> stored_origins(hid_t dataset, const DatasetFacts& facts);

// The chunks of a dataset that is read whole chunk by whole chunk.
class WholeChunks {
 public:
  // `dataset` is open as long as this lives.
  WholeChunks(hid_t dataset, const DatasetFacts& facts);

  // A chunk as it is stored; `decoded` where HDF5 has undone the filters. Without bytes: it has no place in the file,
  // and all its elements are the fill value.
  struct Stored {
    std::vector<std::byte> bytes;
    std::uint32_t skipped = 0;
    bool decoded = false;
  };
  // By the thread that HDF5 belongs to. `origin`: of the chunk, in elements. Throws Error(data) where it cannot be
  // read.
  Stored fetch(const Shape& origin);

  bool decoded_by_hdf5() const { return by_hdf5_; }

 private:
  hid_t dataset_;
  const DatasetFacts& facts_;
  storage::Handle type_;
  std::uint64_t chunk_bytes_;
  bool by_hdf5_;
};

// The bytes before HDF5's own.
std::uint64_t user_block_of(hid_t object);

// One element of the fill value of a dataset: zeros where none was set.
std::vector<std::byte> fill_value(hid_t dataset);

}  // namespace weft::survey
