#include "kernels/blast/zlib_block.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <limits>

#include "weft/support/error.hpp"

namespace weft::kernels::blast {

namespace {

constexpr int kLevel = 6;

void check(int code) {
  if (code == Z_OK || code == Z_STREAM_END) return;
  throw Error(ErrorKind::system, "zlib",
              code == Z_MEM_ERROR ? "there is not enough memory" : fmt::format("error {}", code),
              "use smaller buffers (--collect)");
}

std::uint64_t libdeflate_into(std::string_view text, Values<char>& block) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(kLevel);
  if (compressor == nullptr) check(Z_MEM_ERROR);
  const std::size_t bytes = libdeflate_zlib_compress(compressor, text.data(), text.size(), block.data(), block.size());
  libdeflate_free_compressor(compressor);
  return bytes;
}

}  // namespace

std::uint64_t most_compressed(std::uint64_t text_bytes) {
  return std::max<std::uint64_t>(compressBound(text_bytes), libdeflate_zlib_compress_bound(nullptr, text_bytes));
}

Values<char> zlib_block(std::string_view text, Codec codec) {
  Values<char> block = make_values<char>(most_compressed(text.size()));
  if (codec == Codec::libdeflate) {
    block.resize(libdeflate_into(text, block));
    return block;
  }
  uLongf bytes = block.size();
  check(compress2(reinterpret_cast<Bytef*>(block.data()), &bytes, reinterpret_cast<const Bytef*>(text.data()),
                  text.size(), kLevel));
  block.resize(bytes);
  return block;
}

CompressedLength::CompressedLength(Codec codec) : codec_(codec) { check(deflateInit(&stream_, kLevel)); }

CompressedLength::~CompressedLength() { deflateEnd(&stream_); }

void CompressedLength::run(int flush) {
  std::array<Bytef, 16384> output;
  do {
    stream_.next_out = output.data();
    stream_.avail_out = output.size();
    check(deflate(&stream_, flush));
    bytes_ += output.size() - stream_.avail_out;
  } while (stream_.avail_out == 0);
}

void CompressedLength::add(std::string_view text) {
  if (codec_ == Codec::libdeflate) {
    text_ += text;
    return;
  }
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, std::numeric_limits<uInt>::max());
    text.remove_prefix(piece.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    run(Z_NO_FLUSH);
  }
}

std::uint64_t CompressedLength::finish() {
  if (codec_ == Codec::libdeflate) {
    const std::uint64_t bytes = zlib_block(text_, codec_).size();
    text_.clear();
    return bytes;
  }
  run(Z_FINISH);
  check(deflateReset(&stream_));
  return std::exchange(bytes_, 0);
}

}  // namespace weft::kernels::blast
