// weft/storage/commit_groups.hpp - which ranks share a commit slot, and which word of /weft/commit it is.
//
// File systems of many machines lock a page or a stripe for the machine that writes it. If each rank raised a word of
// its own, all machines would fight for the few pages that hold the words. So the ranks of a node that write share a
// slot, and slots are a page apart. Past `most` nodes, nodes in a row share one. docs/decisions/0031. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::storage {

// Words from the slot of one machine to that of the next: a page of 4 KiB.
inline constexpr std::uint64_t kSlotSpacing = 512;
inline constexpr std::uint64_t kMostSlots = 64;

// Words for a file's slots, whoever of these ranks will write. As many as ranks at least: where the ranks of a node
// cannot share memory, each has a slot of its own.
std::uint64_t words_for_slots(std::span<const std::uint64_t> nodes, std::uint64_t most = kMostSlots);

class CommitGroups {
 public:
  // `nodes`: a number for each rank, the same for ranks of one node; `writes`: which ranks take part.
  CommitGroups(std::span<const std::uint64_t> nodes, const std::vector<bool>& writes, std::uint64_t most = kMostSlots);
  // A slot for each rank that writes.
  static CommitGroups alone(const std::vector<bool>& writes);

  std::uint64_t count() const { return slots_.size(); }
  const std::vector<std::uint64_t>& slots() const { return slots_; }
  int ranks() const { return static_cast<int>(group_.size()); }
  // Nothing where the rank does not write.
  std::optional<std::uint64_t> group_of(int rank) const;
  // The word that says for this rank what is written.
  std::optional<std::uint64_t> slot_of(int rank) const;
  // Of the rank's group, in their order; the first raises the slot for those on other nodes.
  const std::vector<int>& members(int rank) const { return members_[*group_of(rank)]; }
  // Those of them on other nodes than the first.
  std::vector<int> far_members(std::uint64_t group) const;
  // Whether some group is of several nodes.
  bool span_nodes() const;

  // What /weft/commit is to say of a writer that begins at step `from`: `words` of them, or as many as are used.
  std::vector<std::uint64_t> words_from(std::uint64_t from, std::uint64_t words) const;

 private:
  CommitGroups() = default;

  std::vector<std::optional<std::uint64_t>> group_;  // of each rank
  std::vector<std::vector<int>> members_;            // of each group
  std::vector<std::uint64_t> slots_;                 // of each group
  std::uint64_t apart_ = 1;                          // words from one slot to the next
  std::vector<std::uint64_t> node_;                  // of each rank, from 0 on
  std::vector<std::uint64_t> first_node_;            // of each group
};

// What a client brings to the disk, one cache and so one sync for all of its ranks, and the word of /weft/durable that
// says so.
struct DurableWord {
  int first_rank = -1;                  // of the client: it syncs
  std::optional<std::uint64_t> word{};  // nothing where none of its ranks writes
  std::vector<std::uint64_t> slots{};   // that say what its ranks have written
};
// `clients`: a number for each rank, the same for ranks of one client. Clients have words of their own, also where they
// share a slot.
std::vector<DurableWord> durable_words(const CommitGroups& groups, std::span<const std::uint64_t> clients);

}  // namespace weft::storage

#pragma GCC visibility pop
