// weft/repack/chunk_sink.hpp - where the target chunks of a dataset that is moved go.
//
// As with the source two kinds: written straight to where they belong, whole or in parts, by any thread of any rank; or
// whole, encoded, through HDF5, by the one thread of the one rank that HDF5 belongs to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/survey/survey.hpp"

namespace weft::repack {

// Writes the part of a chunk (in memory whole, row-major) that `part`, a box of the dataset inside of it, is of.
// `array` as chunk_source.hpp's array_of_bytes(). Any thread.
void write_part(const storage::ArrayEntry& array, storage::ByteStore& bytes, std::uint64_t chunk_number,
                const Shape& chunk_origin, const Box& part, std::span<const std::byte> chunk);

// One chunk on its way to HDF5.
struct ReadyChunk {
  Shape origin;  // in elements
  std::vector<std::byte> bytes;
  std::uint32_t skipped = 0;
};

class HdfChunks {
 public:
  // `dataset` is open as long as this lives; its chunks are `chunk`, its filters `filters`.
  HdfChunks(hid_t dataset, const survey::DatasetFacts& source, Shape chunk,
            const std::vector<storage::Filter>& filters);

  // Whether chunks come encoded by Weft's coders; else HDF5 encodes them.
  bool takes_encoded() const { return takes_encoded_; }
  std::size_t rank() const { return chunk_.size(); }
  // Throws Error(system) where HDF5 cannot write it (a full disk).
  void write(const ReadyChunk& chunk);

 private:
  hid_t dataset_;
  const survey::DatasetFacts& source_;
  Shape chunk_;
  storage::Handle type_;
  bool takes_encoded_;
};

}  // namespace weft::repack
