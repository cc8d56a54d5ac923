// kernels/blast/zlib_block.hpp - text compressed to zlib data (RFC 1950) at level 6, by zlib or by libdeflate, which
// takes whole texts only and is quicker.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/support/large_memory.hpp"

namespace weft::kernels::blast {

// The most a text can become, with either codec: what does not compress is a little longer.
std::uint64_t most_compressed(std::uint64_t text_bytes);

enum class Codec : std::uint8_t { zlib, libdeflate };

// The whole text as a stream of its own, begun and ended.
Values<char> zlib_block(std::string_view text, Codec codec);

// How long zlib_block() of all that is added would be; with zlib, whose output does not depend on the pieces its input
// comes in, without keeping any of it.
class CompressedLength {
 public:
  explicit CompressedLength(Codec codec);
  ~CompressedLength();
  CompressedLength(const CompressedLength&) = delete;
  CompressedLength& operator=(const CompressedLength&) = delete;

  void add(std::string_view text);
  // Of the block that ends here; the next one begins.
  std::uint64_t finish();

 private:
  void run(int flush);

  Codec codec_;
  z_stream stream_{};
  std::string text_;  // for libdeflate
  std::uint64_t bytes_ = 0;
};

}  // namespace weft::kernels::blast
