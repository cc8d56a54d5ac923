// weft/series/write_strategy.hpp - how gathered steps get into the file; one implementation for each way.
//
//   owner     (owner_strategy.hpp)            windows cut by memory, chunk owners, direct writes behind the computation
//   per-step  (mpi_collective_strategy.hpp)   one collective HDF5 write a step: the papers' default
//   cached    (mpi_collective_strategy.hpp)   one collective HDF5 write for each row of chunks: paper 1's cached writes
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/partition/ownership.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/series/window_observer.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/commit_groups.hpp"
#include "weft/storage/flush_counters.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft::series {

// What was asked at each level, on this rank. `app` is Weft's own plan.
struct WriteCounters : storage::FlushCounters {
  std::atomic<std::uint64_t> windows{0};
  std::atomic<std::uint64_t> mpi_messages{0};
  std::atomic<std::uint64_t> mpi_bytes{0};
  std::atomic<std::uint64_t> mpi_bytes_between_nodes{0};  // of mpi_bytes
  std::atomic<std::uint64_t> hdf5_collective_writes{0};
  std::atomic<std::uint64_t> hdf5_bytes{0};
};

// Everything a strategy works with; the references outlive it.
struct StrategyContext {
  Communicator& comm;
  const storage::SeriesCatalog& catalog;        // changes (adopt_catalog) when a segment is added
  std::span<const partition::Ownership> owned;  // as catalog.fields
  const WriterOptions& options;
  storage::ByteStore& store;
  WriteCounters& counters;
  // Adds a segment, as long as all there are. Collective; called when the first step behind the last segment is due to
  // be written, with nothing being written on any rank and no HDF5 handle open. (So a run that just fits adds none.)
  std::function<void()> make_room;
  std::uint64_t epoch;  // of this writer: nothing is written once the file has another (storage/writer_state.hpp)
  std::span<const std::shared_ptr<WindowObserver>> observers;
  std::span<const std::uint64_t> nodes;  // of all ranks (Communicator::nodes)
  // Where the file lies while the strategy is built: a new one gets its name, catalog.path, only then.
  std::string lies_at;
};

class WriteStrategy {
 public:
  virtual ~WriteStrategy() = default;

  // Which ranks write, and the commit slots that they raise. Not collective.
  virtual const storage::CommitGroups& commit_groups() const = 0;
  // The next step to come. Collective; nothing is gathered when it is called.
  virtual void begin(std::uint64_t step) = 0;
  // One field of the present step, in the rank's own order. Not collective.
  virtual void put(std::size_t field, std::span<const std::byte> local) = 0;
  // The present step, of that time, is whole on this rank. Collective when a flush is due; `failure` is what this rank
  // has to report then.
  virtual void end_step(double time, const std::optional<Error>& failure) = 0;
  // Steps that are gathered and not on their way into the file. The same on all ranks.
  virtual std::uint64_t gathered() const = 0;
  // Brings them on their way, and does not wait for them. Collective.
  virtual void commit(const std::optional<Error>& failure) = 0;
  // Brings all gathered steps into the file; they are committed when it returns. Collective.
  virtual void flush(const std::optional<Error>& failure) = 0;
  // The same, for the last time: nothing follows. Collective.
  virtual void finish(const std::optional<Error>& failure) { flush(failure); }
  // What has gone wrong behind the computation and was not thrown yet. Not collective.
  virtual std::optional<Error> failure() const { return std::nullopt; }
};

using StrategyFactory = std::function<std::unique_ptr<WriteStrategy>(const StrategyContext&)>;

}  // namespace weft::series

#pragma GCC visibility pop
