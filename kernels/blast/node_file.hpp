// kernels/blast/node_file.hpp - the file of a node, as its writer fills it: blocks of zlib data, each with a header of
// 4 bytes before it, its length, little-endian.
//
// Both ways of filling it leave the same text, in the order it came in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/blast/blast_options.hpp"
#include "kernels/io/stdio_file.hpp"

namespace weft::kernels::blast {

inline constexpr std::uint64_t kHeaderBytes = 4;

// Whether a header can tell the length of any block such a text could become.
bool fits_header(std::uint64_t text_bytes);

// A buffer that is emptied before it would be overfilled: what does not fit in beside others begins a new one, and what
// is larger than the buffer is alone in it.
struct Filling {
  std::uint64_t limit = 0;
  std::uint64_t used = 0;

  bool takes(std::uint64_t bytes) const { return used == 0 || (used <= limit && bytes <= limit - used); }
};

class NodeFile {
 public:
  virtual ~NodeFile() = default;
  // A result that has come. Throws Error(system).
  virtual void take(std::string_view result) = 0;
  // What is still held is written, and the file closed. Throws Error(system).
  virtual void close() = 0;
};

// Compressed and written at once; the header goes in when the block is there, so that every block takes two seeks: over
// the header's room, and back to it.
std::unique_ptr<NodeFile> immediate_file(const std::string& path, FileAccount account, Codec codec);

// Collected until the buffer is full, then compressed as one block; blocks and their headers are gathered until theirs
// is full, then written with one call. `expected` is the most text that may come: no more memory is set aside.
std::unique_ptr<NodeFile> two_stage_file(const std::string& path, FileAccount account, const BlastOptions& options,
                                         std::uint64_t expected);

}  // namespace weft::kernels::blast
