// weft/series/durability.hpp - brings what the ranks have written to the disk, behind the computation, and says so in
// the file's durable slots (storage/writer_state.hpp).
//
// One rank of each client (storage/shared_file.hpp) does it for all of that client: what its ranks wrote lies in one
// cache, and one sync brings all of it to the disk. No message is needed for that: the commit slots of its ranks, read
// before the sync, say what the sync covers.
//
//   slots of the client's ranks: 40, 50 -> sync -> durable slot of the client: 40
//
// A thread of its own does this every so many seconds; sync_now() does it at once. It makes no MPI and no HDF5 call.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/commit_groups.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

// The client of each rank: a number, the same for ranks of one client. `client`: the same on all ranks of a client, and
// on no others (storage::client_of). Collective.
std::vector<std::uint64_t> clients_of_ranks(Communicator& comm, const std::vector<std::uint64_t>& client);

class Durability {
 public:
  // `seconds`: between two syncs; 0: only when asked. `client`: what this rank syncs, as storage::durable_words() says;
  // nothing where another rank of its client does it. `store` and `catalog` outlive it; the places of the catalog's
  // slots do not change. `epoch`: this writer's.
  Durability(storage::ByteStore& store, const storage::SeriesCatalog& catalog,
             std::optional<storage::DurableWord> client, std::uint64_t epoch, double seconds);
  // Of a writer that ends early, after an error: syncs what is written, as after sync_now(true). So what was committed
  // is on the disk, or the file says that the disk refuses it. Throws nothing.
  ~Durability();
  Durability(const Durability&) = delete;
  Durability& operator=(const Durability&) = delete;

  // Returns when all that this client's ranks have committed is on the disk, and their durable slot says so; and, where
  // `all` is said, whatever else they have written. Throws Error(system), also for an earlier sync that failed: nothing
  // is promised after one, as the system forgets what it could not write. The file then names no machine, so that only
  // durable steps count once this writer has ended.
  void sync_now(bool all = false);
  // That of a sync behind the computation.
  std::optional<Error> failure() const;

 private:
  void run();
  void sync(bool all);
  void sync_store();

  storage::ByteStore& store_;
  storage::SeriesCatalog slots_;  // the places of the slots, and nothing else of the catalog
  std::optional<storage::DurableWord> client_;
  std::uint64_t epoch_;
  double seconds_;
  std::uint64_t durable_ = 0;
  bool all_synced_ = false;   // all has been synced
  mutable std::mutex mutex_;  // of the three below
  std::condition_variable ending_;
  bool ends_ = false;
  std::optional<Error> failure_;
  std::mutex syncing_;  // one sync at a time
  std::thread thread_;
};

}  // namespace weft::series
