#include "weft/series/new_writer.hpp"

#include <cstddef>
#include <vector>

#include "weft/storage/commit_slots.hpp"
#include "weft/support/process_identity.hpp"

namespace weft::series {

namespace {

// Zeros where ranks run on several machines.
BootId common_boot(Communicator& comm) {
  const BootId boot = boot_id();
  bool common = true;
  for (const std::uint64_t half : boot) common = comm.min(half) == comm.max(half) && common;
  return common ? boot : BootId{};
}

}  // namespace

storage::NewWriter new_writer(Communicator& comm, const storage::SeriesCatalog& catalog, std::uint64_t next_step,
                              bool writes, bool syncs) {
  std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()));
  outgoing[0] = {std::byte{writes}, std::byte{syncs}};
  const std::vector<std::vector<std::byte>> told = comm.all_to_all(outgoing);
  std::vector<bool> writing;
  std::vector<bool> syncing;
  for (const std::vector<std::byte>& one : told) {
    writing.push_back(one.size() == 2 && one[0] != std::byte{0});
    syncing.push_back(one.size() == 2 && one[1] != std::byte{0});
  }
  const std::uint64_t least = catalog.commit.shape[0];
  return {storage::slots_from(next_step, writing, least), storage::slots_from(next_step, syncing, least),
          common_boot(comm)};
}

}  // namespace weft::series
