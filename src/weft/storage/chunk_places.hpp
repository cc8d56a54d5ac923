// weft/storage/chunk_places.hpp - where single chunks of any dataset lie, asked of HDF5 as they are needed.
//
// HDF5 1.10 walks its index from the beginning for every chunk it is asked for, so that asking for all of n chunks
// takes n * n / 2 looks. Most files have their chunks one behind the other, which a few questions show; of others only
// the chunks of the read at hand are asked for, each once. Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <string>

#include "weft/support/shape.hpp"

namespace weft::storage {

struct ChunkPlace {
  std::uint64_t address = HADDR_UNDEF;  // HADDR_UNDEF: never written
  std::uint64_t bytes = 0;              // as stored
  std::uint32_t skipped = 0;            // filters that were left out, a bit each
};

class ChunkPlaces {
 public:
  // Of an open dataset of these extents and chunks. Where it is not filtered, chunk_bytes is what each takes in the
  // file. The dataset is not kept: while somebody has it open, HDF5 keeps its chunks.
  ChunkPlaces(hid_t dataset, std::string path, Shape shape, Shape chunk, std::uint64_t chunk_bytes, bool filtered);

  // Of the chunk of this number, row-major over the grid of chunks; `dataset` is the same one. Throws Error(data) where
  // HDF5 cannot tell.
  const ChunkPlace& at(hid_t dataset, std::uint64_t number);
  // The same of a chunk that was asked for before; from several threads at once.
  const ChunkPlace& known(std::uint64_t number) const { return known_.at(number); }

  // Whether they all lie one behind the other, from that of chunk 0 on.
  bool in_order() const { return in_order_; }
  std::uint64_t first() const { return first_; }

 private:
  ChunkPlace ask(hid_t dataset, std::uint64_t number) const;

  std::string path_;
  Shape shape_;
  Shape chunk_;
  std::uint64_t chunk_bytes_;
  bool in_order_ = false;
  std::uint64_t first_ = HADDR_UNDEF;
  std::map<std::uint64_t, ChunkPlace> known_;
};

}  // namespace weft::storage
