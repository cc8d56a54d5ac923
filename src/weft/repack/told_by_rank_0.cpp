#include "weft/repack/told_by_rank_0.hpp"

#include <cstddef>
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

storage::ChunkAddresses told_by_rank_0(Communicator& comm, const std::optional<storage::ArrayEntry>& array) {
  std::vector<std::byte> mine;
  if (comm.rank() == 0) mine = storage::to_bytes(array->addresses);
  return storage::chunk_addresses_from_bytes(broadcast(comm, mine));
}

}  // namespace weft::repack
