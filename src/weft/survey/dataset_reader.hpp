// weft/survey/dataset_reader.hpp - boxes of any dataset of any HDF5 file, in bounded memory.
//
// Chunks whose filters Weft knows are fetched as they are and decoded on every core (survey/chunk_decoders.hpp);
// everything else HDF5 reads: contiguous and compact data, virtual datasets, other filters, other types. A filtered
// chunk is always read whole, an unfiltered one only where it is larger than the cache HDF5 is given.
//
// Elements of variable length and references are not for this reader. Not collective. read() may be called by several
// threads at once where ReadLimits::hdf5_lock is given: HDF5 is asked under it where a chunk lies, and for what only
// HDF5 can read; chunks are read and decoded without it, side by side.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/survey/chunk_decoders.hpp"
#include "weft/survey/decoded_chunks.hpp"
#include "weft/survey/pieces.hpp"
#include "weft/survey/survey.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {
class ChunkPlaces;
}

namespace weft::survey {

struct ReadLimits {
  std::uint64_t cache_bytes = 32ULL << 20;                // HDF5's chunk cache
  std::uint64_t chunk_bytes = 64ULL << 20;                // for decoding: of all threads together
  std::function<void(std::uint64_t bytes)> on_request{};  // before each chunk, and each box that HDF5 reads
  std::shared_ptr<DecodedChunks> kept{};                  // chunks that were decoded for a part of them; may be null
  // For several threads: held around each call of HDF5's, and `bytes`, the same file, is where chunks are read from
  // without it. Both outlive the reader.
  std::recursive_mutex* hdf5_lock = nullptr;
  std::shared_ptr<storage::ByteStore> bytes{};
};

class DatasetReader {
 public:
  // Elements come as `memory_type` has them; as they are in the file where it is the file's own. It must outlive the
  // reader. Throws Error(data) where the dataset does not open or has a filter nobody here can undo, Error(usage) where
  // one chunk passes the limit.
  DatasetReader(hid_t file, const std::string& path, hid_t memory_type, const ReadLimits& limits);

  const DatasetDescription& described() const { return described_; }
  DatasetFacts facts() const;                    // the index is counted anew
  const Shape& shape() const { return shape_; }  // {1} for a scalar
  std::uint64_t element_bytes() const { return element_bytes_; }
  // What one request of HDF5's fetches: a chunk, or everything where there are none.
  const Shape& chunk() const { return chunk_; }
  // Whether chunks are fetched whole even where part of one is wanted.
  bool fetches_whole_chunks() const { return whole_chunks_; }

  // Fills `values`, row-major. Throws Error(data) with the dataset's path where something cannot be read or decoded.
  void read(const Box& box, std::span<std::byte> values);
  // Several boxes, each into its own memory: a chunk that more than one has part of is read and decoded once.
  struct Part {
    Box box;
    std::span<std::byte> values;
  };
  void read(std::span<const Part> parts);

  // What reading a box asks the file for where no chunk of it is kept: the chunks that have a place in the file, a
  // request each, and what they take there. Nothing where HDF5 fetches them. Throws Error(data) where the index cannot
  // be read.
  struct Requests {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<Requests> requests_of(const Box& box) const;

  // Whether each_chunk() may be called: chunks are decoded here.
  bool decodes() const { return decodes_; }
  // Decodes the chunks of these numbers (row-major over the grid), each once. `use` gets whole chunks, padding
  // included, on several threads at once; `fail` those that cannot be had.
  using UseChunk = std::function<void(std::uint64_t number, std::span<std::byte> chunk)>;
  using FailChunk = std::function<void(std::uint64_t number, const Error& error)>;
  void each_chunk(std::span<const std::uint64_t> numbers, const UseChunk& use, const FailChunk& fail);

  // The numbers of the chunks (see chunk()) that have a place in the file, where those are not all of them and no more
  // than kMostPlaces (survey/places.hpp); else nothing. Throws Error(data) where the index cannot be read.
  std::optional<std::vector<std::uint64_t>> few_stored_chunks() const;
  // The same, or the numbers of all chunks. Throws Error(data) where there are more than can be walked.
  std::vector<std::uint64_t> stored_chunks() const;
  // An element that was never written, as memory_type has it.
  std::vector<std::byte> fill_value() const;
  // Throws Error(data) where the dataset says it is so much more than its file that it cannot be read from end to end.
  void check_readable() const;

 private:
  void read_by_hdf5(const Box& box, std::span<std::byte> values);
  struct Touch {  // that a part has something of a chunk
    std::uint64_t chunk = 0;
    const Part* part = nullptr;
  };
  template <typename Visit>
  void for_each_touched(const Box& box, const Visit& visit) const;
  void read_by_chunks(std::span<const Part> parts);
  void read_touched(std::vector<Touch>& touches);
  std::uint64_t copy_touched(std::uint64_t number, std::span<const std::byte> chunk,
                             std::span<const Touch> touches) const;
  void fetch(std::uint64_t number, const UseChunk& use, const FailChunk& fail);
  std::vector<std::byte> encoded_chunk(std::uint64_t number, std::uint32_t& skipped);
  std::vector<std::byte> chunk_from_hdf5(const Box& where, std::uint32_t& skipped);
  std::unique_lock<std::recursive_mutex> hdf5() const;
  std::vector<std::byte> unwritten_chunk() const;

  storage::Handle dataset_;
  storage::Handle properties_;
  hid_t memory_type_;
  DatasetDescription described_;
  Shape shape_;
  Shape chunk_;
  std::uint64_t element_bytes_ = 0;
  std::uint64_t chunk_bytes_ = 0;  // decoded
  std::uint64_t file_bytes_ = 0;   // no stored chunk is longer
  bool whole_chunks_ = false;
  bool decodes_ = false;
  std::unique_ptr<ChunkDecoders> decoders_;
  std::function<void(std::uint64_t bytes)> on_request_;
  std::shared_ptr<DecodedChunks> kept_;
  std::recursive_mutex* hdf5_lock_;
  std::shared_ptr<storage::ByteStore> bytes_;
  std::shared_ptr<storage::ChunkPlaces> places_;  // where chunks are read from bytes_
};

}  // namespace weft::survey

#pragma GCC visibility pop
