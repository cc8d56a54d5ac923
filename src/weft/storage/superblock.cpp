#include "weft/storage/superblock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "weft/storage/little_endian.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr std::array<unsigned char, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kChecksumBytes = 4;
constexpr std::byte kBeingWritten{0x05};  // bit 0: open for writing; bit 2: by a single writer with many readers
constexpr std::size_t kMarkAt = 11;

void put_checksum(std::span<std::byte> block) {
  const std::size_t at = block.size() - kChecksumBytes;
  put_little_endian(block, at, kChecksumBytes, metadata_checksum(block.first(at)));
}

// The signature is at 0 or, behind a user block, at a power of two from 512 on.
std::optional<std::uint64_t> find_signature(ByteStore& store) {
  const std::uint64_t size = store.size();
  for (std::uint64_t at = 0; at + kSignature.size() <= size; at = at == 0 ? 512 : 2 * at) {
    std::array<unsigned char, 8> found{};
    store.read_at(at, std::as_writable_bytes(std::span(found)));
    if (found == kSignature) return at;
  }
  return std::nullopt;
}

// The three words of lookup3, mixed and finally mixed.
struct Words {
  std::uint32_t a, b, c;

  void mix() {
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  void finish() {
    c ^= b, c -= std::rotl(b, 14);
    a ^= c, a -= std::rotl(c, 11);
    b ^= a, b -= std::rotl(a, 25);
    c ^= b, c -= std::rotl(b, 16);
    a ^= c, a -= std::rotl(c, 4);
    b ^= a, b -= std::rotl(a, 14);
    c ^= b, c -= std::rotl(b, 24);
  }
};

}  // namespace

std::uint32_t metadata_checksum(std::span<const std::byte> bytes) {
  const auto start = static_cast<std::uint32_t>(0xdeadbeefU + bytes.size());
  Words words{start, start, start};
  if (bytes.empty()) return words.c;
  const auto word = [&](std::size_t at) {
    const std::size_t length = at < bytes.size() ? std::min<std::size_t>(4, bytes.size() - at) : 0;
    return static_cast<std::uint32_t>(get_little_endian(bytes, at, length));
  };
  constexpr std::size_t kBlock = 12;
  std::size_t at = 0;
  for (;; at += kBlock) {
    words.a += word(at);
    words.b += word(at + 4);
    words.c += word(at + 8);
    if (bytes.size() - at <= kBlock) break;
    words.mix();
  }
  words.finish();
  return words.c;
}

std::uint64_t Superblock::root_group() const {
  const auto width = std::to_integer<std::size_t>(bytes.at(9));
  return get_little_endian(bytes, bytes.size() - kChecksumBytes - width, width);
}

std::optional<Superblock> read_superblock(ByteStore& store) {
  const std::optional<std::uint64_t> at = find_signature(store);
  if (!at) return std::nullopt;
  Superblock superblock;
  superblock.at = *at;
  constexpr std::size_t kMost = 24 + 4 + 6 * 8;  // version 1, addresses of 8 bytes, up to the root group's entry
  superblock.bytes.resize(std::min<std::uint64_t>(kMost, store.size() - *at));
  store.read_at(*at, MutableBytes(superblock.bytes));
  const std::span<const std::byte> bytes = superblock.bytes;
  const auto need = [&](std::size_t length) {
    if (bytes.size() >= length) return;
    throw Error(ErrorKind::data, store.name(), "ends within HDF5's superblock", "nothing of it can be read");
  };
  need(16);
  superblock.version = std::to_integer<unsigned>(bytes[8]);
  if (superblock.version > 3) {
    throw Error(ErrorKind::data, store.name(), fmt::format("has a superblock of version {}", superblock.version),
                "it is damaged, or written by a later HDF5 than this Weft knows");
  }
  const bool old = superblock.version < 2;
  const auto address_bytes = std::to_integer<std::size_t>(bytes[old ? 13 : 9]);
  if (address_bytes != 2 && address_bytes != 4 && address_bytes != 8) {
    throw Error(ErrorKind::data, store.name(), fmt::format("has addresses of {} bytes", address_bytes),
                "its superblock is damaged");
  }
  // Base address, then that of the extension (or of the free space), then the end.
  const std::size_t addresses = superblock.version == 1 ? 28 : old ? 24 : 12;
  const std::size_t length = addresses + 4 * address_bytes + (old ? 0 : kChecksumBytes);
  need(length);
  superblock.bytes.resize(length);
  superblock.end_of_file = get_little_endian(superblock.bytes, addresses + 2 * address_bytes, address_bytes);
  if (old) return superblock;
  const std::span<const std::byte> block = superblock.bytes;
  superblock.marked = superblock.version == 3 && (block[kMarkAt] & kBeingWritten) != std::byte{};
  superblock.intact = get_little_endian(block, length - kChecksumBytes, kChecksumBytes) ==
                      metadata_checksum(block.first(length - kChecksumBytes));
  return superblock;
}

void set_end_of_file(ByteStore& store, std::uint64_t end) {
  const std::optional<Superblock> superblock = read_superblock(store);
  if (!superblock || !superblock->intact || superblock->version < 2) {
    throw Error(ErrorKind::data, store.name(), "has a damaged superblock", "nothing it says can be trusted");
  }
  std::vector<std::byte> block = superblock->bytes;
  const auto width = std::to_integer<std::size_t>(block[9]);
  put_little_endian(block, 12 + 2 * width, width, end);
  put_checksum(block);
  store.write_at(superblock->at, Bytes(block));
}

void clear_write_mark(ByteStore& store, const Superblock& superblock) {
  if (!superblock.intact || superblock.version != 3) {
    throw Error(ErrorKind::data, store.name(), "has a damaged superblock", "nothing it says can be trusted");
  }
  std::vector<std::byte> block = superblock.bytes;
  block[kMarkAt] &= ~kBeingWritten;
  put_checksum(block);
  store.write_at(superblock.at, Bytes(block));
  store.sync();
}

}  // namespace weft::storage
