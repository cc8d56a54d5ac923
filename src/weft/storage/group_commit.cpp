#include "weft/storage/group_commit.hpp"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

// In the memory that the ranks of a node share: how far each member is. Behind it a word for each.
struct GroupCommit::Words {
  pthread_mutex_t lock;
  std::uint64_t raised;   // what the slot says
  std::uint64_t members;  // words that count

  std::span<std::uint64_t> done() { return {reinterpret_cast<std::uint64_t*>(this + 1), members}; }
};

// Held for a write of 8 bytes. A rank that dies with it leaves the words whole, as each is changed at once.
class GroupCommit::Lock {
 public:
  explicit Lock(Words& words) : words_(words) {
    if (::pthread_mutex_lock(&words_.lock) == EOWNERDEAD) ::pthread_mutex_consistent(&words_.lock);
  }
  ~Lock() { ::pthread_mutex_unlock(&words_.lock); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Words& words_;
};

namespace {

std::vector<bool> who_writes(Communicator& comm, bool writes) {
  const std::byte mine{writes};
  std::vector<bool> all;
  for (const std::byte one : gather_from_all(comm, std::span(&mine, 1))) all.push_back(one != std::byte{0});
  return all;
}

}  // namespace

GroupCommit::GroupCommit(Communicator& comm, std::span<const std::uint64_t> nodes, bool writes, std::uint64_t most)
    : groups_(nodes, who_writes(comm, writes), most), rank_(comm.rank()) {
  if (!share_memory(comm)) {
    std::vector<bool> writing;
    writing.reserve(static_cast<std::size_t>(comm.size()));
    for (int rank = 0; rank < comm.size(); ++rank) writing.push_back(groups_.group_of(rank).has_value());
    groups_ = CommitGroups::alone(writing);
    if (!share_memory(comm)) {
      throw Error(ErrorKind::system, "commit slots", "no rank can have memory for them", "see ulimit -n and -v")
          .agreed();
    }
  }
  if (const auto group = groups_.group_of(rank_)) {
    const std::vector<int>& members = groups_.members(rank_);
    first_ = members[0];
    far_ = groups_.far_members(*group);
    is_far_ = std::ranges::find(far_, rank_) != far_.end();
    member_ = static_cast<std::size_t>(std::ranges::find(members, rank_) - members.begin());
    if (first_ == rank_) {
      Words& all = *new (memory_->bytes().data()) Words;
      pthread_mutexattr_t kind;
      ::pthread_mutexattr_init(&kind);
      ::pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
      ::pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
      ::pthread_mutex_init(&all.lock, &kind);
      ::pthread_mutexattr_destroy(&kind);
      all.raised = 0;
      all.members = members.size();
      std::ranges::fill(all.done(), 0);
    }
  }
  comm.max(0);  // nobody uses a lock before it is made
}

GroupCommit::~GroupCommit() = default;

bool GroupCommit::share_memory(Communicator& comm) {
  std::vector<std::uint64_t> sharing;
  sharing.reserve(static_cast<std::size_t>(comm.size()));
  for (int rank = 0; rank < comm.size(); ++rank)
    sharing.push_back(groups_.group_of(rank).value_or(SharedMemory::kNoGroup));
  std::size_t most = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto group = groups_.group_of(rank);
    if (!group) continue;
    most = std::max(most, groups_.members(rank).size());
    if (groups_.members(rank)[0] != rank) continue;
    for (const int far : groups_.far_members(*group)) sharing[static_cast<std::size_t>(far)] = SharedMemory::kNoGroup;
  }
  memory_ = SharedMemory::between(comm, sharing, sizeof(Words) + most * sizeof(std::uint64_t));
  return memory_ != nullptr;
}

GroupCommit::Words& GroupCommit::words() const { return *reinterpret_cast<Words*>(memory_->bytes().data()); }

bool GroupCommit::done(std::uint64_t steps, const Target& target) {
  if (!member_) return false;
  if (is_far_) {
    far_done_ = steps;
    return false;
  }
  const Lock lock(words());
  words().done()[*member_] = steps;
  return raise(target);
}

bool GroupCommit::raise(const Target& target) {
  Words& all = words();
  const std::uint64_t least = *std::ranges::min_element(all.done());
  if (least <= all.raised) return false;
  const std::uint64_t slot = *groups_.slot_of(rank_);
  raise_slot(target.store, target.catalog, slot, least);
  if (target.durable && !target.catalog.durable.shape.empty()) raise_durable(target.store, target.catalog, slot, least);
  all.raised = least;
  return true;
}

bool GroupCommit::settle(Communicator& comm, const Target& target) {
  if (far_.empty() || (!is_far_ && rank_ != first_)) return false;
  std::vector<std::uint64_t> told(is_far_ ? 1 : far_.size(), far_done_);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (is_far_) outgoing.push_back({first_, std::as_bytes(std::span(told))});
  for (std::size_t i = 0; i < far_.size() && !is_far_; ++i) {
    incoming.push_back({far_[i], std::as_writable_bytes(std::span(told).subspan(i, 1))});
  }
  comm.exchange(outgoing, incoming);
  if (is_far_) return false;
  const Lock lock(words());
  const std::vector<int>& members = groups_.members(rank_);
  for (std::size_t i = 0; i < far_.size(); ++i) {
    words().done()[static_cast<std::size_t>(std::ranges::find(members, far_[i]) - members.begin())] = told[i];
  }
  return raise(target);
}

}  // namespace weft::storage
