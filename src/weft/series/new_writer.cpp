#include "weft/series/new_writer.hpp"

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
                              const storage::CommitGroups& groups, const std::vector<std::uint64_t>& durable_slots) {
  const std::vector<std::uint64_t> commit = groups.words_from(next_step, catalog.commit.shape[0]);
  std::vector<std::uint64_t> durable(commit.size(), storage::kIdleSlot);
  for (const std::uint64_t slot : durable_slots) durable.at(slot) = next_step;
  return {commit, durable, common_boot(comm)};
}

}  // namespace weft::series
