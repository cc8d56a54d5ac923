#include "weft/convert/vtk_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::convert {

namespace {

// Large enough to compress well, small enough for a reader to take a part.
constexpr std::uint64_t kBlock = 256 << 10;

}  // namespace

std::uint64_t most_compressed_bytes(std::uint64_t bytes) {
  const std::uint64_t blocks = ceil_div(bytes, kBlock);
  return (3 + blocks) * sizeof(std::uint64_t) + blocks * compressBound(kBlock);
}

std::vector<std::byte> compressed_array(std::span<const std::byte> values, int level) {
  const std::uint64_t blocks = ceil_div(values.size(), kBlock);
  std::vector<std::uint64_t> header{blocks, kBlock, values.size() % kBlock};
  std::vector<std::byte> array((3 + blocks) * sizeof(std::uint64_t));
  std::vector<std::byte> packed(compressBound(kBlock));
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto part = values.subspan(block * kBlock, std::min<std::size_t>(kBlock, values.size() - block * kBlock));
    uLongf length = packed.size();
    const int answer = compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                                 reinterpret_cast<const Bytef*>(part.data()), part.size(), level);
    if (answer != Z_OK) throw Error(ErrorKind::system, "zlib", "cannot compress", "write without --compress");
    header.push_back(length);
    array.insert(array.end(), packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(length));
  }
  std::memcpy(array.data(), header.data(), header.size() * sizeof(std::uint64_t));
  return array;
}

VtkFile::VtkFile(const std::string& path, const VtkDocument& document, int level)
    : document_(document), level_(level), file_(path), head_(vtk_head_length(document)) {}

void VtkFile::add(std::span<const std::byte> values) {
  if (level_ > 0) return add_encoded(compressed_array(values, level_));
  const std::uint64_t length = values.size();
  const std::array<storage::Bytes, 2> pieces{std::as_bytes(std::span(&length, 1)), values};
  offsets_.push_back(next_);
  file_.store().write_at(head_ + next_, pieces);
  next_ += sizeof length + length;
}

void VtkFile::add_encoded(std::span<const std::byte> array) {
  offsets_.push_back(next_);
  file_.store().write_at(head_ + next_, array);
  next_ += array.size();
}

std::uint64_t VtkFile::finish() {
  const std::string head = vtk_head(document_, offsets_, head_);
  file_.store().write_at(head_ + next_, std::as_bytes(std::span(vtk_tail())));
  file_.store().write_at(0, std::as_bytes(std::span(head)));
  file_.finish();
  return head_ + next_ + vtk_tail().size();
}

}  // namespace weft::convert
