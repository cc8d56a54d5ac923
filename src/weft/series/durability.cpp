#include "weft/series/durability.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::series {

std::vector<std::uint64_t> ranks_of_client(Communicator& comm, const std::vector<std::uint64_t>& client) {
  // Everybody to rank 0, and all of it to everybody.
  const auto mine = std::as_bytes(std::span(client));
  std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()));
  outgoing[0].assign(mine.begin(), mine.end());
  const auto incoming = comm.all_to_all(outgoing);
  std::vector<std::byte> all;
  if (comm.rank() == 0) {
    for (const auto& one : incoming) all.insert(all.end(), one.begin(), one.end());
  }
  comm.broadcast(all, 0);
  std::vector<std::uint64_t> ranks;
  for (std::size_t rank = 0; rank < outgoing.size(); ++rank) {
    if (std::equal(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size()))) {
      ranks.push_back(rank);
    }
  }
  if (ranks.front() != static_cast<std::uint64_t>(comm.rank())) ranks.clear();
  return ranks;
}

Durability::Durability(storage::ByteStore& store, const storage::SeriesCatalog& catalog,
                       std::vector<std::uint64_t> ranks, std::uint64_t epoch, double seconds)
    : store_(store), ranks_(std::move(ranks)), epoch_(epoch), seconds_(seconds) {
  slots_.path = catalog.path;
  slots_.commit = catalog.commit;
  slots_.durable = catalog.durable;
  slots_.writer = catalog.writer;
  if (ranks_.empty() || slots_.durable.shape.empty() || seconds_ <= 0) return;
  thread_ = std::thread([this] { run(); });
}

Durability::~Durability() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Durability::run() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, std::chrono::duration<double>(seconds_), [this] { return ends_; })) {
    lock.unlock();
    std::optional<Error> failure;
    try {
      sync(false);
    } catch (const Error& error) {
      failure = error;
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      return;
    }
  }
}

void Durability::sync_now(bool all) {
  if (ranks_.empty() || slots_.durable.shape.empty()) return;
  if (const auto failed = failure()) throw *failed;
  try {
    sync(all);
  } catch (const Error& error) {
    const std::scoped_lock lock(mutex_);
    failure_ = error;
    throw;
  }
}

void Durability::sync(bool all) {
  const std::scoped_lock lock(syncing_);
  const std::vector<std::uint64_t> written = storage::read_slots(store_, slots_);
  std::uint64_t least = storage::kIdleSlot;
  for (const std::uint64_t rank : ranks_) least = std::min(least, written.at(rank));
  if (least != durable_ || all) store_.sync();
  if (least == durable_) return;
  storage::check_epoch(store_, slots_, epoch_);
  storage::raise_durable(store_, slots_, ranks_.front(), least);
  durable_ = least;
}

std::optional<Error> Durability::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

}  // namespace weft::series
