// weft/storage/filtered_chunks.hpp - the chunks of a window that filters make shorter: from steps in memory to entries
// of the index.
//
// 1. encode(): whole chunks are filtered, on several threads. Where a window begins within a chunk, what the file has
//    of it is read and decoded first.
// 2. set_aside(): they wait for a place, and the next window may be encoded. The ranks agree where each one's chunks
//    go, one behind the other: nobody knows before how long they are.
// 3. place(): they are to be written there, as one request.
// 4. write_entries(): when that is done, their entries in the index, each overwritten in place. Until then the entry
//    leads to what the chunk was, or to a chunk of nothing.
//
// So the file opens at every instant, and a chunk is what it was or what it becomes. The next window may be encoded
// while this one is placed and written: encode() on one thread, place() and write_entries() on another. Not collective;
// makes no MPI and no HDF5 call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/chunk_tree.hpp"
#include "weft/storage/page_memory.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/write_plan.hpp"

namespace weft::storage {

// Steps of one chunk of a window.
struct ChunkSteps {
  std::size_t field = 0;    // of the catalog
  std::uint64_t chunk = 0;  // its number
  std::uint64_t first = 0;  // where the steps begin in it
  Bytes steps;              // memory that outlives encode()
  // Where it is not 0, `steps` has room for those of a whole chunk, shuffled already; so many of them count, from
  // the first on. For fields whose first filter is shuffle.
  std::uint64_t shuffled = 0;
};

class FilteredChunks {
 public:
  // The references outlive this. `threads` encode side by side.
  FilteredChunks(ByteStore& store, const SeriesCatalog& catalog, unsigned threads)
      : store_(store), catalog_(catalog), threads_(threads) {}

  // What was made before must be set aside. What this makes and what is set aside and not written yet never take more
  // memory together than the chunks themselves: it waits for write_entries() rather. Throws Error(data) where a chunk
  // of the file cannot be decoded.
  void encode(const std::vector<ChunkSteps>& chunks);
  // Of what encode() made; 0 once it is set aside. With what fills up pages: where there are megabytes of it, it lies
  // so that it can be written from where it is.
  std::uint64_t bytes() const { return made_.bytes; }
  // Of the chunks alone.
  std::uint64_t chunk_bytes() const { return made_.chunk_bytes; }
  // Of the steps that encode() was given.
  std::uint64_t step_bytes() const { return made_.step_bytes; }
  // What encode() made waits for its place.
  void set_aside();
  // What is set aside gets its place, which HDF5 must know to be in the file. To be written before write_entries();
  // none where nothing is set aside.
  std::vector<WriteRequest> place(std::uint64_t at);
  // Lets the index lead to what has a place, and gives its memory back.
  void write_entries();
  // The memory alone: of what is set aside and cannot be written.
  void forget_aside();

  // While paused, the thread that called encode() begins no chunk; those beside it go on. From any thread.
  void pause();
  void resume();

 private:
  struct Made {
    std::size_t field = 0;
    std::uint64_t chunk = 0;
    bool anew = false;  // the file has steps of it that may count
    std::uint32_t skipped = 0;
    std::size_t block = 0;  // where it lies
    std::uint64_t at = 0;   // in the block
    std::uint64_t bytes = 0;
  };
  struct Window {
    std::vector<Made> chunks;
    std::vector<PageBlock> blocks;  // to be one behind the other in the file
    std::uint64_t bytes = 0;        // of them
    std::uint64_t chunk_bytes = 0;
    std::uint64_t step_bytes = 0;
  };
  class Worker;

  void make_room(std::uint64_t bytes);

  ByteStore& store_;
  const SeriesCatalog& catalog_;
  unsigned threads_;
  SpareBlocks spare_;
  Window made_;
  Window aside_;
  std::uint64_t placed_at_ = 0;
  std::atomic<bool> paused_{false};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint64_t aside_bytes_ = 0;
  std::uint64_t made_bytes_ = 0;  // by encode(), so far
  std::uint64_t most_bytes_ = 0;  // of both
};

// Where the first of them go in a file that ends at `end`, if a window has up to `window_bytes` of them: at a page
// where they may be written from where they lie.
std::uint64_t first_place(std::uint64_t end, std::uint64_t window_bytes);

// The steps of a chunk as they lie in the file, decoded: read through the index.
std::vector<std::byte> read_filtered_chunk(ByteStore& store, const SeriesCatalog& catalog, std::size_t field,
                                           std::uint64_t chunk, ChunkCoder& coder);

}  // namespace weft::storage
