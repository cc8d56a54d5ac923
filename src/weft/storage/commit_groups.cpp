#include "weft/storage/commit_groups.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

namespace {

// Numbers from 0 on, in the order in which they appear.
std::vector<std::uint64_t> from_zero_on(std::span<const std::uint64_t> numbers) {
  std::unordered_map<std::uint64_t, std::uint64_t> known;
  std::vector<std::uint64_t> renumbered;
  renumbered.reserve(numbers.size());
  for (const std::uint64_t number : numbers)
    renumbered.push_back(known.try_emplace(number, known.size()).first->second);
  return renumbered;
}

// Room behind a slot for the durable words of all nodes that share it, too.
std::uint64_t spacing(std::uint64_t nodes, std::uint64_t groups) {
  if (groups <= 1) return 1;
  const std::uint64_t together = (nodes + groups - 1) / groups;
  return (together + kSlotSpacing - 1) / kSlotSpacing * kSlotSpacing;
}

std::uint64_t count_of(const std::vector<std::uint64_t>& nodes) {
  return nodes.empty() ? 0 : *std::ranges::max_element(nodes) + 1;
}

}  // namespace

std::uint64_t words_for_slots(std::span<const std::uint64_t> nodes, std::uint64_t most) {
  const std::uint64_t count = count_of(from_zero_on(nodes));
  const std::uint64_t groups = std::min(count, std::max<std::uint64_t>(most, 1));
  return std::max<std::uint64_t>({kMostSlots, nodes.size(), groups * spacing(count, groups)});
}

CommitGroups::CommitGroups(std::span<const std::uint64_t> nodes, const std::vector<bool>& writes, std::uint64_t most)
    : group_(nodes.size()), node_(from_zero_on(nodes)) {
  // Nodes of which no rank writes have no part in it.
  std::vector<std::uint64_t> writing;
  for (std::size_t rank = 0; rank < node_.size(); ++rank) {
    if (writes[rank]) writing.push_back(node_[rank]);
  }
  std::ranges::sort(writing);
  writing.erase(std::unique(writing.begin(), writing.end()), writing.end());
  const std::uint64_t groups = std::min<std::uint64_t>(writing.size(), std::max<std::uint64_t>(most, 1));
  apart_ = spacing(writing.size(), groups);
  members_.resize(groups);
  first_node_.resize(groups);
  for (std::uint64_t group = 0; group < groups; ++group) slots_.push_back(group * apart_);
  for (std::size_t rank = 0; rank < node_.size(); ++rank) {
    if (!writes[rank]) continue;
    const auto place = static_cast<std::uint64_t>(std::ranges::lower_bound(writing, node_[rank]) - writing.begin());
    const std::uint64_t group = place * groups / writing.size();
    if (members_[group].empty()) first_node_[group] = node_[rank];
    group_[rank] = group;
    members_[group].push_back(static_cast<int>(rank));
  }
}

CommitGroups CommitGroups::alone(const std::vector<bool>& writes) {
  std::vector<std::uint64_t> nodes(writes.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  CommitGroups groups(nodes, writes, writes.size());
  for (std::uint64_t group = 0; group < groups.count(); ++group) {
    groups.slots_[group] = static_cast<std::uint64_t>(groups.members_[group][0]);
  }
  groups.apart_ = 1;
  return groups;
}

std::optional<std::uint64_t> CommitGroups::group_of(int rank) const { return group_[static_cast<std::size_t>(rank)]; }

std::optional<std::uint64_t> CommitGroups::slot_of(int rank) const {
  const auto group = group_of(rank);
  return group ? std::optional(slots_[*group]) : std::nullopt;
}

std::vector<int> CommitGroups::far_members(std::uint64_t group) const {
  std::vector<int> far;
  for (const int rank : members_[group]) {
    if (node_[static_cast<std::size_t>(rank)] != first_node_[group]) far.push_back(rank);
  }
  return far;
}

bool CommitGroups::span_nodes() const {
  for (std::uint64_t group = 0; group < count(); ++group) {
    if (!far_members(group).empty()) return true;
  }
  return false;
}

std::vector<std::uint64_t> CommitGroups::words_from(std::uint64_t from, std::uint64_t words) const {
  // With the page of the last slot: what lies behind is another machine's.
  const std::uint64_t used = slots_.empty() ? 0 : *std::ranges::max_element(slots_) + apart_;
  std::vector<std::uint64_t> all(std::max(words, used), kIdleSlot);
  for (const std::uint64_t slot : slots_) all[slot] = from;
  return all;
}

std::vector<DurableWord> durable_words(const CommitGroups& groups, std::span<const std::uint64_t> clients) {
  const std::vector<std::uint64_t> client = from_zero_on(clients);
  std::vector<DurableWord> words(count_of(client));
  std::vector<std::uint64_t> taken(groups.count(), 0);
  for (std::size_t rank = 0; rank < client.size(); ++rank) {
    DurableWord& word = words[client[rank]];
    if (word.first_rank < 0) word.first_rank = static_cast<int>(rank);
    const auto slot = groups.slot_of(static_cast<int>(rank));
    if (!slot) continue;
    if (!word.word) word.word = *slot + taken[*groups.group_of(static_cast<int>(rank))]++;
    if (std::ranges::find(word.slots, *slot) == word.slots.end()) word.slots.push_back(*slot);
  }
  return words;
}

}  // namespace weft::storage
