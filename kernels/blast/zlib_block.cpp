#include "kernels/blast/zlib_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

void check(int code) {
  if (code == Z_OK || code == Z_STREAM_END) return;
  throw Error(ErrorKind::system, "zlib",
              code == Z_MEM_ERROR ? "there is not enough memory" : fmt::format("error {}", code),
              "use smaller buffers (--collect)");
}

}  // namespace

std::uint64_t most_compressed(std::uint64_t text_bytes) { return compressBound(text_bytes); }

Values<char> zlib_block(std::string_view text) {
  Values<char> block = make_values<char>(most_compressed(text.size()));
  uLongf bytes = block.size();
  check(compress2(reinterpret_cast<Bytef*>(block.data()), &bytes, reinterpret_cast<const Bytef*>(text.data()),
                  text.size(), Z_DEFAULT_COMPRESSION));
  block.resize(bytes);
  return block;
}

CompressedLength::CompressedLength() { check(deflateInit(&stream_, Z_DEFAULT_COMPRESSION)); }

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
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, std::numeric_limits<uInt>::max());
    text.remove_prefix(piece.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    run(Z_NO_FLUSH);
  }
}

std::uint64_t CompressedLength::finish() {
  run(Z_FINISH);
  check(deflateReset(&stream_));
  return std::exchange(bytes_, 0);
}

}  // namespace weft::kernels
