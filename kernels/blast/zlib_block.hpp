// kernels/blast/zlib_block.hpp - text compressed by zlib, at zlib's own level (6).
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string_view>

#include "weft/support/large_memory.hpp"

namespace weft::kernels {

// The most a text can become: what does not compress is a little longer.
std::uint64_t most_compressed(std::uint64_t text_bytes);

// compress2() of the whole text: a stream of its own, begun and ended.
Values<char> zlib_block(std::string_view text);

// How long zlib_block() of all that is added would be, without keeping any of it: zlib's output does not depend on the
// pieces its input comes in.
class CompressedLength {
 public:
  CompressedLength();
  ~CompressedLength();
  CompressedLength(const CompressedLength&) = delete;
  CompressedLength& operator=(const CompressedLength&) = delete;

  void add(std::string_view text);
  // Of the block that ends here; the next one begins.
  std::uint64_t finish();

 private:
  void run(int flush);

  z_stream stream_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace weft::kernels
