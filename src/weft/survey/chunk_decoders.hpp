// weft/survey/chunk_decoders.hpp - decodes chunks on every core, while one thread reads them.
//
// Only a few chunks wait at a time, so memory is bounded: each thread has one decoded chunk, and as many encoded ones
// as there are threads wait for them. Owned by the thread that reads. Not collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/storage/chunk_codec.hpp"
#include "weft/support/error.hpp"

#pragma GCC visibility push(default)

namespace weft::survey {

class ChunkDecoders {
 public:
  // Both are called on the decoding threads, for different chunks at the same time. What is in the chunk is good, and
  // may be changed, until the call returns.
  using Use = std::function<void(std::span<std::byte> chunk)>;
  using Fail = std::function<void(const Error& error)>;

  // Every chunk is `chunk_bytes` long when it is decoded. Throws Error(usage) unless coded_here(filters).
  ChunkDecoders(const std::vector<storage::Filter>& filters, std::uint64_t chunk_bytes, unsigned threads);
  ~ChunkDecoders();
  ChunkDecoders(const ChunkDecoders&) = delete;
  ChunkDecoders& operator=(const ChunkDecoders&) = delete;

  // Hands a chunk over, waiting while too many wait already. Either `use` or `fail` is called for it.
  void decode(std::vector<std::byte> encoded, std::uint32_t skipped, Use use, Fail fail);
  // Returns when all chunks that were handed over have been used.
  void wait();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::survey

#pragma GCC visibility pop
