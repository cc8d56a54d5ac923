// weft/repack/conveyor.hpp - moves a dataset's elements, region by region (repack/regions.hpp).
//
// One thread, the caller, makes all of HDF5's calls: it hands out stored chunks to be decoded and takes encoded chunks
// to be written. The workers decode, put target chunks together and encode; what needs no HDF5 they also read and
// write. While one region's target chunks leave, the next region comes in.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "weft/repack/chunk_sink.hpp"
#include "weft/repack/regions.hpp"
#include "weft/support/workers.hpp"
#include "weft/survey/chunk_source.hpp"

namespace weft::repack {

// Where elements come from: straight from the file (`array` and `bytes`), or as whole chunks.
struct Source {
  const storage::ArrayEntry* array = nullptr;
  storage::ByteStore* bytes = nullptr;
  survey::WholeChunks* chunks = nullptr;
  Shape chunk;
  std::vector<storage::Filter> filters;
};

// Where target chunks go: straight to the file, or encoded to `ready`, which the caller's thread calls.
struct Sink {
  const storage::ArrayEntry* array = nullptr;
  storage::ByteStore* bytes = nullptr;
  std::function<void(ReadyChunk&&)> ready;
  Shape chunk;
  std::vector<storage::Filter> filters;  // with which chunks are encoded for `ready`
  std::span<std::uint32_t> sums;         // a checksum of every chunk that is put together; empty: none is asked for
};

struct Conveyance {
  std::string name;  // for messages: the dataset
  Shape shape;
  std::uint64_t element_bytes = 0;
  std::vector<std::byte> fill;  // an element of what was never written
  Pass pass;
  Source source;
  Sink sink;
  std::function<void(std::uint64_t bytes)> moved;  // after every region, by the caller's thread
  std::function<void()> check;                     // often, by the caller's thread: throws to stop
};

class Conveyor {
 public:
  Conveyor(Workers& workers, Conveyance conveyance);
  ~Conveyor();
  Conveyor(const Conveyor&) = delete;
  Conveyor& operator=(const Conveyor&) = delete;

  // Moves these regions. Throws what any thread threw first; what is written by then is not known. Not collective.
  void run(std::span<const std::uint64_t> regions);

 private:
  struct Piece;
  struct Region;
  struct Happened;

  void start(Region& region, std::uint64_t number);
  void start_direct(Region& region);
  void fetch_next(Region& region);
  void begin_stores(Region& region);
  void submit_stores(Region& region);
  void finish(Region& region);
  void store(Region& region, std::uint64_t target, int worker);
  bool put_together(const Region& region, const Box& chunk_box, const Box& part, std::span<std::byte> chunk) const;
  void sum_up(std::uint64_t target, const Box& part, std::span<const std::byte> chunk) const;
  void handle(Happened&& happened);
  void report(Happened happened);
  void guarded(Region& region, const std::function<void()>& action, bool is_load);
  bool wait_or_take(std::deque<Happened>& taken, bool wait);
  std::unique_ptr<std::byte[]> memory_of_a_chunk();

  Workers& workers_;
  Conveyance what_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<std::unique_ptr<std::byte[]>> spare_;    // source chunks' memory, used again
  std::vector<std::vector<std::byte>> worker_chunks_;  // a target chunk each
  std::vector<storage::ChunkCoder> decoders_;          // one a worker
  std::vector<storage::ChunkCoder> encoders_;
  std::uint64_t source_chunk_bytes_ = 0;
  std::uint64_t target_chunk_bytes_ = 0;
  std::uint64_t on_their_way_ = 0;  // chunks being decoded, encoded or waiting
  std::size_t regions_done_ = 0;

  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<Happened> happened_;
  std::uint64_t tasks_ = 0;  // submitted and not reported
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

}  // namespace weft::repack
