#include "weft/repack/chunk_message.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace weft::repack {

namespace {

using Head = std::array<std::uint64_t, 2>;  // skipped, bytes

}  // namespace

std::vector<std::byte> packed(const std::vector<ReadyChunk>& chunks) {
  std::vector<std::byte> message;
  const auto put = [&](const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    message.insert(message.end(), first, first + bytes);
  };
  for (const ReadyChunk& chunk : chunks) {
    const Head head{chunk.skipped, chunk.bytes.size()};
    put(head.data(), sizeof(head));
    put(chunk.origin.data(), chunk.origin.size() * sizeof(std::uint64_t));
    put(chunk.bytes.data(), chunk.bytes.size());
  }
  return message;
}

void unpack(std::span<const std::byte> message, std::size_t axes, const std::function<void(const ReadyChunk&)>& use) {
  const auto take = [&](void* to, std::size_t bytes) {
    std::memcpy(to, message.data(), bytes);
    message = message.subspan(bytes);
  };
  while (!message.empty()) {
    Head head{};
    take(head.data(), sizeof(head));
    ReadyChunk chunk;
    chunk.skipped = static_cast<std::uint32_t>(head[0]);
    chunk.origin.resize(axes);
    take(chunk.origin.data(), axes * sizeof(std::uint64_t));
    chunk.bytes.assign(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(head[1]));
    message = message.subspan(head[1]);
    use(chunk);
  }
}

}  // namespace weft::repack
