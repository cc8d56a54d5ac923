#include "weft/series/commits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <numeric>

#include "weft/storage/shared_file.hpp"

namespace weft::series {

// A step waits for half of the time to be written, and for the other half to be on the disk.
Commits::Commits(Communicator& comm, const WriterOptions& options, const std::string& lies_at)
    : comm_(comm),
      sync_(options.sync),
      sync_seconds_(options.sync == Sync::commit ? options.commit_seconds / 2 : 0),
      schedule_(options.commit_seconds / 2, options.commit_steps) {
  if (sync_ == Sync::window) {  // each for itself
    clients_.resize(static_cast<std::size_t>(comm.size()));
    std::iota(clients_.begin(), clients_.end(), 0);
  }
  if (sync_ == Sync::commit) {
    std::vector<std::uint64_t> client;
    agree_on(comm, [&] { client = storage::client_of(lies_at); });
    clients_ = clients_of_ranks(comm, client);
  }
  if (options.commit_on_signals) signals_.emplace();
}

bool Commits::syncs() const {
  if (clients_.empty()) return false;
  const auto mine = clients_.begin() + comm_.rank();
  return std::find(clients_.begin(), mine, *mine) == mine;
}

std::vector<std::uint64_t> Commits::durable_slots(const storage::CommitGroups& groups) const {
  std::vector<std::uint64_t> slots;
  if (sync_ == Sync::window) slots = groups.slots();  // raised with the commit slots
  if (sync_ == Sync::commit) {
    for (const storage::DurableWord& client : storage::durable_words(groups, clients_)) {
      if (client.word) slots.push_back(*client.word);
    }
  }
  return slots;
}

void Commits::begin(storage::ByteStore& store, const storage::SeriesCatalog& catalog,
                    const storage::CommitGroups& groups, std::uint64_t epoch) {
  path_ = catalog.path;
  std::optional<storage::DurableWord> client;
  if (syncs()) client = storage::DurableWord{.first_rank = comm_.rank()};
  if (sync_ == Sync::commit && syncs()) {
    client = storage::durable_words(groups, clients_)[clients_[static_cast<std::size_t>(comm_.rank())]];
  }
  durability_ = std::make_unique<Durability>(store, catalog, client, epoch, sync_seconds_);
  schedule_.committed();
}

bool Commits::after_step(WriteStrategy& strategy, const std::optional<Error>& failure, std::uint64_t next_step) {
  using Wish = CommitSchedule::Wish;
  if (strategy.gathered() == 0) schedule_.committed();
  const bool signalled = signals_ && signals_->pending() != 0;
  const Wish mine = failure ? Wish::failure : signalled ? Wish::commit_for_signal : Wish::nothing;
  switch (schedule_.after_step(comm_, mine)) {
    case Wish::nothing: break;
    case Wish::failure: agree(comm_, failure); break;
    case Wish::commit:
      strategy.commit(failure);
      schedule_.committed();
      break;
    case Wish::commit_for_signal: return answer_signal(strategy, failure, next_step);
  }
  return false;
}

// SIGUSR1 warns, SIGTERM ends. One rank's launcher may have sent it to that one alone.
bool Commits::answer_signal(WriteStrategy& strategy, const std::optional<Error>& failure, std::uint64_t next_step) {
  const bool ends = comm_.max(signals_ && signals_->pending() == SIGTERM ? 1 : 0) == 1;
  if (signals_) signals_->answer();
  flush(strategy, failure);
  if (comm_.rank() == 0) {
    fmt::print(stderr, "weft: {}: {}: {} steps are in the file{}\n", path_, ends ? "SIGTERM" : "SIGUSR1", next_step,
               sync_ == Sync::none ? "" : " and on the disk");
  }
  return ends;
}

void Commits::flush(WriteStrategy& strategy, const std::optional<Error>& failure) {
  strategy.flush(failure);
  agree_on(comm_, [&] { durability_->sync_now(); });
  schedule_.committed();
}

void Commits::finish() {
  agree_on(comm_, [&] {
    durability_->sync_now(true);
    durability_.reset();
  });
  signals_.reset();
}

}  // namespace weft::series
