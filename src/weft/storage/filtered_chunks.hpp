// weft/storage/filtered_chunks.hpp - the chunks of a window that filters make shorter: from steps in memory to entries
// of the index.
//
// 1. encode(): whole chunks are filtered, on several threads. Where a window begins within a chunk, what the file has
//    of it is read and decoded first.
// 2. The ranks agree where each one's chunks go, one behind the other: nobody knows before how long they are.
// 3. write(): the chunks, in large writes; and when they are there, their entries in the index, each overwritten in
//    place. Until then the entry leads to what the chunk was, or to a chunk of nothing.
//
// So the file opens at every instant, and a chunk is what it was or what it becomes. Not collective; makes no MPI and
// no HDF5 call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/chunk_tree.hpp"
#include "weft/storage/flush_counters.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// Steps of one chunk of a window.
struct ChunkSteps {
  std::size_t field = 0;    // of the catalog
  std::uint64_t chunk = 0;  // its number
  std::uint64_t first = 0;  // where the steps begin in it
  Bytes steps;              // memory that outlives encode()
};

class FilteredChunks {
 public:
  // The references outlive this. `threads` encode side by side.
  FilteredChunks(ByteStore& store, const SeriesCatalog& catalog, FlushCounters& counters, unsigned threads)
      : store_(store), catalog_(catalog), counters_(counters), threads_(threads) {}

  // Nothing may be waiting to be written. Throws Error(data) where a chunk of the file cannot be decoded.
  void encode(const std::vector<ChunkSteps>& chunks);
  // What is waiting.
  std::uint64_t bytes() const { return bytes_; }
  // Writes it to `at`, which HDF5 must know to be in the file, and lets the index lead there.
  void write(std::uint64_t at);

 private:
  struct Waiting {
    std::size_t field = 0;
    std::uint64_t chunk = 0;
    bool anew = false;  // the file has steps of it that may count
    ChunkCoder::Encoded encoded;
  };

  Waiting encode_one(ChunkCoder& coder, const ChunkSteps& steps) const;
  void write_data(std::uint64_t at);
  void write_entries(std::uint64_t at);

  ByteStore& store_;
  const SeriesCatalog& catalog_;
  FlushCounters& counters_;
  unsigned threads_;
  std::vector<Waiting> waiting_;
  std::uint64_t bytes_ = 0;
};

// The steps of a chunk as they lie in the file, decoded: read through the index.
std::vector<std::byte> read_filtered_chunk(ByteStore& store, const SeriesCatalog& catalog, std::size_t field,
                                           std::uint64_t chunk, ChunkCoder& coder);

}  // namespace weft::storage
