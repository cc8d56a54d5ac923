#include "weft/storage/object_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "weft/storage/little_endian.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr std::size_t kChecksumBytes = 4;
constexpr std::uint64_t kMostBytes = 64 << 20;  // of one piece: more is damage

bool begins_with(Bytes bytes, std::string_view signature) {
  return bytes.size() >= signature.size() && std::memcmp(bytes.data(), signature.data(), signature.size()) == 0;
}

std::optional<std::vector<std::byte>> read_whole(ByteStore& store, std::uint64_t at, std::uint64_t bytes) {
  const std::uint64_t size = store.size();
  if (bytes > kMostBytes || at > size || bytes > size - at) return std::nullopt;
  std::vector<std::byte> read(bytes);
  store.read_at(at, MutableBytes(read));
  return read;
}

// A piece of a header: its first, or one that a message of an earlier one leads to.
struct Piece {
  std::uint64_t at = 0;
  std::size_t first_message = 0;  // where the messages begin in it
  std::vector<std::byte> bytes;   // with the checksum
};

bool has_right_checksum(const Piece& piece) {
  const std::size_t end = piece.bytes.size() - kChecksumBytes;
  return get_little_endian(piece.bytes, end, kChecksumBytes) == metadata_checksum(Bytes(piece.bytes).first(end));
}

struct Prefix {
  std::size_t bytes = 0;
  std::uint64_t messages = 0;  // bytes of the first piece's messages
  bool with_order = false;     // each message says when it was made
};

std::optional<Prefix> read_prefix(Bytes bytes) {
  if (!begins_with(bytes, "OHDR") || bytes.size() < 16 || bytes[4] != std::byte{2}) return std::nullopt;
  const auto flags = std::to_integer<unsigned>(bytes[5]);
  Prefix prefix;
  prefix.with_order = (flags & 0x04U) != 0;
  const std::size_t width = std::size_t{1} << (flags & 0x03U);
  prefix.bytes = 6 + ((flags & 0x20U) != 0 ? 16 : 0) + ((flags & 0x10U) != 0 ? 4 : 0);
  if (bytes.size() < prefix.bytes + width) return std::nullopt;
  prefix.messages = get_little_endian(bytes, prefix.bytes, width);
  prefix.bytes += width;
  return prefix;
}

// Adds the piece's messages, and the pieces that they lead to.
bool add_messages(const Piece& piece, bool with_order, std::vector<HeaderMessage>& messages) {
  const std::size_t head = with_order ? 6 : 4;
  const std::size_t end = piece.bytes.size() - kChecksumBytes;
  for (std::size_t at = piece.first_message; at + head <= end;) {  // a gap at the end is shorter than a head
    const auto length = static_cast<std::size_t>(get_little_endian(piece.bytes, at + 1, 2));
    if (at + head + length > end) return false;
    const auto begin = piece.bytes.begin() + static_cast<std::ptrdiff_t>(at + head);
    messages.push_back({std::to_integer<std::uint8_t>(piece.bytes[at]),
                        {begin, begin + static_cast<std::ptrdiff_t>(length)},
                        piece.at + at + head,
                        piece.at,
                        piece.at + end});
    at += head + length;
  }
  return true;
}

}  // namespace

std::optional<std::vector<HeaderMessage>> read_object_header(ByteStore& store, std::uint64_t address, bool whole) {
  constexpr std::uint64_t kLikelyBytes = 512;
  const std::uint64_t size = store.size();
  if (address >= size) return std::nullopt;
  const auto begin = read_whole(store, address, std::min(kLikelyBytes, size - address));
  if (!begin) return std::nullopt;
  const std::optional<Prefix> prefix = read_prefix(*begin);
  if (!prefix || prefix->messages > kMostBytes) return std::nullopt;
  Piece piece{address, prefix->bytes, {}};
  const std::uint64_t bytes = prefix->bytes + prefix->messages + kChecksumBytes;
  if (bytes <= begin->size()) {
    piece.bytes.assign(begin->begin(), begin->begin() + static_cast<std::ptrdiff_t>(bytes));
  } else if (auto more = read_whole(store, address, bytes)) {
    piece.bytes = std::move(*more);
  } else {
    return std::nullopt;
  }
  std::vector<HeaderMessage> messages;
  if (!has_right_checksum(piece) || !add_messages(piece, prefix->with_order, messages)) return std::nullopt;
  constexpr std::size_t kMostMessages = 1 << 20;  // a ring of pieces has no end
  for (std::size_t m = 0; whole && m < messages.size(); ++m) {
    if (messages[m].type != static_cast<std::uint8_t>(MessageType::continuation)) continue;
    if (messages[m].bytes.size() < 16 || messages.size() > kMostMessages) return std::nullopt;
    const std::uint64_t length = get_little_endian(messages[m].bytes, 8, 8);
    Piece next{get_little_endian(messages[m].bytes, 0, 8), 4, {}};
    auto read = read_whole(store, next.at, length);
    if (!read || length < 4 + kChecksumBytes || !begins_with(*read, "OCHK")) return std::nullopt;
    next.bytes = std::move(*read);
    if (!has_right_checksum(next) || !add_messages(next, prefix->with_order, messages)) return std::nullopt;
  }
  return messages;
}

void patch_message(ByteStore& store, const HeaderMessage& message, Bytes bytes) {
  if (bytes.size() != message.bytes.size()) {
    throw Error(ErrorKind::data, store.name(), "a message of an object's header cannot change its length");
  }
  std::vector<std::byte> piece(message.piece_end - message.piece_begin + kChecksumBytes);
  store.read_at(message.piece_begin, MutableBytes(piece));
  std::copy(bytes.begin(), bytes.end(), piece.begin() + static_cast<std::ptrdiff_t>(message.at - message.piece_begin));
  const std::size_t end = piece.size() - kChecksumBytes;
  put_little_endian(piece, end, kChecksumBytes, metadata_checksum(Bytes(piece).first(end)));
  store.write_at(message.piece_begin, Bytes(piece));
}

bool begins_as_series(ByteStore& store) {
  const std::optional<Superblock> superblock = read_superblock(store);
  if (!superblock || superblock->at != 0 || superblock->version < 2 || !superblock->intact) return false;
  const auto messages = read_object_header(store, superblock->root_group(), false);
  if (!messages) return false;
  // A link of version 1 with no flags, as Weft makes it: the length of its name in one byte, and the name.
  constexpr std::array<std::byte, 7> kLinkToWeft{std::byte{1},   std::byte{0},   std::byte{4},  std::byte{'w'},
                                                 std::byte{'e'}, std::byte{'f'}, std::byte{'t'}};
  return std::any_of(messages->begin(), messages->end(), [&](const HeaderMessage& message) {
    return message.type == static_cast<std::uint8_t>(MessageType::link) && message.bytes.size() > kLinkToWeft.size() &&
           std::equal(kLinkToWeft.begin(), kLinkToWeft.end(), message.bytes.begin());
  });
}

}  // namespace weft::storage
