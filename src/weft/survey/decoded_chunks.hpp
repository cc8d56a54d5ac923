// weft/survey/decoded_chunks.hpp - decoded chunks that are kept for the reads that follow: the trace of the next node
// is in the chunks that this one was in.
//
// So many bytes are kept, of all the arrays together that share this; what was used longest ago goes first. For several
// threads. It knows nothing of the file: whoever sees that it has changed takes a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::survey {

class DecodedChunks {
 public:
  using Chunk = std::shared_ptr<const std::vector<std::byte>>;

  explicit DecodedChunks(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // A chunk by its number and the reader of its array; nothing where it is not kept.
  Chunk find(const void* array, std::uint64_t number);
  // Keeps a copy, unless it alone is more than may be kept.
  void keep(const void* array, std::uint64_t number, std::span<const std::byte> chunk);

  std::uint64_t bytes() const;

 private:
  using Name = std::pair<const void*, std::uint64_t>;
  struct Kept {
    Name name;
    Chunk chunk;
  };

  mutable std::mutex mutex_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::list<Kept> by_use_;  // the latest first
  std::map<Name, std::list<Kept>::iterator> by_name_;
};

}  // namespace weft::survey

#pragma GCC visibility pop
