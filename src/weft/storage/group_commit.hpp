// weft/storage/group_commit.hpp - raises the commit slot of a group of ranks when all of them are done.
//
// Ranks of one node tell each other through memory that they share how far each of them is; who comes last raises the
// slot. No message is needed for that, so a thread does it behind the computation. Where a group spans several nodes
// (storage/commit_groups.hpp), ranks on the others tell its first one by a message, now and then: settle().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/commit_groups.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/shared_memory.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

class GroupCommit {
 public:
  // `nodes` as CommitGroups has them; whether this rank writes. Where ranks of a node cannot share memory, each has a
  // slot of its own. Collective.
  GroupCommit(Communicator& comm, std::span<const std::uint64_t> nodes, bool writes, std::uint64_t most = kMostSlots);
  ~GroupCommit();
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  const CommitGroups& groups() const { return groups_; }
  bool writes() const { return member_.has_value(); }

  // Where the slots are, and what else they vouch for.
  struct Target {
    ByteStore& store;
    const SeriesCatalog& catalog;
    bool durable;  // what a rank is done with is on the disk, too: the durable slot is raised with the other
  };
  // This rank's part of the steps before `steps` is in the file. Says whether the slot was raised. By any thread. Not
  // collective.
  bool done(std::uint64_t steps, const Target& target);
  // Ranks on other nodes tell the first of their group how far they are, and it raises the slot, if it can. Nothing is
  // done where no group spans nodes. Collective among the ranks of each group.
  bool settle(Communicator& comm, const Target& target);

 private:
  struct Words;
  class Lock;
  bool share_memory(Communicator& comm);
  Words& words() const;
  bool raise(const Target& target);  // the lock is held

  CommitGroups groups_;
  std::unique_ptr<SharedMemory> memory_;  // of the members on the group's first node
  std::optional<std::size_t> member_;     // this rank's place among the group's members
  std::vector<int> far_;                  // those on other nodes
  int rank_;
  int first_ = -1;                          // of the group
  bool is_far_ = false;                     // this rank is one of far_
  std::atomic<std::uint64_t> far_done_{0};  // then: how far it is
};

}  // namespace weft::storage

#pragma GCC visibility pop
