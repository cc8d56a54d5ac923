#include "weft/repack/told_by_rank_0.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace weft::repack {

namespace {

std::vector<std::byte> broadcast(Communicator& comm, std::span<const std::byte> mine) {
  std::vector<std::byte> bytes;
  if (comm.rank() == 0) bytes.assign(mine.begin(), mine.end());
  comm.broadcast(bytes, 0);
  return bytes;
}

}  // namespace

std::string told_by_rank_0(Communicator& comm, const std::string& text) {
  const std::vector<std::byte> bytes = broadcast(comm, std::as_bytes(std::span(text)));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

storage::ChunkAddresses told_by_rank_0(Communicator& comm, const std::optional<storage::ArrayMap>& map) {
  std::vector<std::uint8_t> packed;
  if (comm.rank() == 0) {
    packed = nlohmann::json::to_cbor(nlohmann::json{map->addresses.base, map->addresses.stride, map->addresses.listed});
  }
  const std::vector<std::byte> bytes = broadcast(comm, std::as_bytes(std::span(packed)));
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const nlohmann::json addresses = nlohmann::json::from_cbor(first, first + bytes.size());
  storage::ChunkAddresses result;
  result.base = addresses[0].get<std::uint64_t>();
  result.stride = addresses[1].get<std::uint64_t>();
  result.listed = addresses[2].get<std::vector<std::uint64_t>>();
  return result;
}

}  // namespace weft::repack
