#include "weft/series/durability.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <span>
#include <utility>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::series {

std::vector<std::uint64_t> clients_of_ranks(Communicator& comm, const std::vector<std::uint64_t>& client) {
  const std::vector<std::byte> all = gather_from_all(comm, std::as_bytes(std::span(client)));
  const std::size_t bytes = client.size() * sizeof client[0];
  std::map<std::vector<std::byte>, std::uint64_t> known;
  std::vector<std::uint64_t> numbers;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(bytes)) {
    numbers.push_back(known.try_emplace({at, at + static_cast<std::ptrdiff_t>(bytes)}, known.size()).first->second);
  }
  return numbers;
}

Durability::Durability(storage::ByteStore& store, const storage::SeriesCatalog& catalog,
                       std::optional<storage::DurableWord> client, std::uint64_t epoch, double seconds)
    : store_(store), client_(std::move(client)), epoch_(epoch), seconds_(seconds) {
  slots_.path = catalog.path;
  slots_.commit = catalog.commit;
  slots_.durable = catalog.durable;
  slots_.writer = catalog.writer;
  if (!client_ || slots_.durable.shape.empty() || seconds_ <= 0) return;
  thread_ = std::thread([this] { run(); });
}

Durability::~Durability() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (!client_ || slots_.durable.shape.empty() || all_synced_ || failure()) return;
  try {
    sync(true);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what ended the writer is the failure to tell
  }
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
    } catch (const std::exception& error) {
      failure = Error(ErrorKind::system, slots_.path, error.what());
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      return;
    }
  }
}

void Durability::sync_now(bool all) {
  if (!client_ || slots_.durable.shape.empty()) return;
  if (const auto failed = failure()) throw *failed;
  try {
    sync(all);
    all_synced_ = all;
  } catch (const Error& error) {
    const std::scoped_lock lock(mutex_);
    failure_ = error;
    throw;
  }
}

void Durability::sync(bool all) {
  const std::scoped_lock lock(syncing_);
  std::uint64_t least = durable_;
  if (!client_->slots.empty()) {
    const std::vector<std::uint64_t> written = storage::read_slots(store_, slots_);
    least = storage::kIdleSlot;
    for (const std::uint64_t slot : client_->slots) least = std::min(least, written.at(slot));
  }
  // Without slots to look at (Sync::window) the data are on the disk, and the words that say so may not be.
  if (least != durable_ || all || client_->slots.empty()) sync_store();
  if (least == durable_ || !client_->word) return;
  storage::check_epoch(store_, slots_, epoch_);
  storage::raise_durable(store_, slots_, *client_->word, least);
  sync_store();  // the word, too: after a power cut it is all that counts
  durable_ = least;
}

// The system forgets what it could not write, on a machine that has not gone down, too.
void Durability::sync_store() {
  try {
    store_.sync();
  } catch (const Error&) {
    try {
      storage::check_epoch(store_, slots_, epoch_);
      storage::forget_boot(store_, slots_);
    } catch (const Error&) {
      // Another writer's, or no disk at all: what is told is that the sync failed.
    }
    throw;
  }
}

std::optional<Error> Durability::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

}  // namespace weft::series
