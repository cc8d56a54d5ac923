// weft/storage/chunk_places.hpp - where the chunks of any dataset lie.
//
// By arithmetic where the format says so: of an implicit index (fixed extents, early allocation, no filters) and of a
// single chunk. Every other index (a B-tree, a fixed or extensible array) may have its chunks in any order, whatever a
// few of them look like, so the place of each is had (storage/chunk_list.hpp). Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "weft/storage/chunk_place.hpp"
#include "weft/storage/chunk_watch.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/shape.hpp"

namespace weft::storage {

// The addresses of all chunks of an open chunked dataset of these extents. Unknown where it has filters, where some
// chunk has no place in the file, where it claims more chunks than the file has room for, where the file has a user
// block (whether addresses count it differs between versions of HDF5), and where chunk_list() cannot tell.
ChunkAddresses addresses_of_chunks(hid_t dataset, const Shape& shape, const Shape& chunk, std::uint64_t chunk_bytes);

// The chunks of an open chunked dataset that have a place in the file, as H5Dget_num_chunks() counts them, and what
// they take there as they are stored. An implicit index keeps room for the greatest extents: that room is counted, too.
struct StoredChunks {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};
// `chunk_bytes` before filters. Throws Error(data), before anything is counted one by one, where the index claims more
// chunks than the file has room for, and where it cannot be read.
StoredChunks stored_chunks(hid_t dataset, const std::string& path, const Shape& chunk, std::uint64_t chunk_bytes);

// Calls `visit` for every chunk of an open chunked dataset that has a place in the file, in any order; `origin` in
// elements. `stored`: as stored_chunks() counts them. Before HDF5 1.12.3 each may take a look through the index from
// its beginning (where ChunkWatch cannot tell, or chunks lie behind the extents): then nothing is visited, and the
// answer is false, where there are more than `most_looks`. Throws Error(data) where HDF5 cannot tell.
bool each_stored_chunk(hid_t dataset, const std::string& path, std::uint64_t stored, std::uint64_t most_looks,
                       const std::function<void(const Shape& origin, const ChunkPlace& place)>& visit);

// Single chunks of a dataset, filtered or not, each asked for once and only as it is needed. HDF5 walks its index from
// the beginning for each that ChunkWatch does not tell, in all versions so far: after some such walks, one that meets
// all chunks takes their place.
class ChunkPlaces {
 public:
  // Of an open dataset of these extents and chunks. Where it is not filtered, chunk_bytes is what each takes in the
  // file. The dataset is not kept: while somebody has it open, HDF5 keeps its chunks.
  ChunkPlaces(hid_t dataset, std::string path, Shape shape, Shape chunk, std::uint64_t chunk_bytes);

  // Of the chunk of this number, row-major over the grid of chunks; `dataset` is the same one. Throws Error(data) where
  // HDF5 cannot tell.
  const ChunkPlace& at(hid_t dataset, std::uint64_t number);
  // The same of a chunk that was asked for before; from several threads at once.
  const ChunkPlace& known(std::uint64_t number) const { return known_.at(number); }

  // Of all chunks; unknown where addresses_of_chunks() says so.
  const ChunkAddresses& all() const { return all_; }

 private:
  ChunkPlace ask(hid_t dataset, std::uint64_t number);
  void list(hid_t dataset);

  std::string path_;
  Shape shape_;
  Shape chunk_;
  std::uint64_t chunk_bytes_;
  ChunkAddresses all_;
  std::map<std::uint64_t, ChunkPlace> known_;
  std::optional<ChunkWatch> watch_;  // where there are so many that HDF5 would search for long
  unsigned walks_ = 0;
  bool listed_ = false;  // a chunk that is not in known_ has no place
};

}  // namespace weft::storage
