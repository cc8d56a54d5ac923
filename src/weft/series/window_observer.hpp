// weft/series/window_observer.hpp - where a series can be watched while it is written: at create, and on every window
// while it is in memory.
//
// An observer watches one field. It may have arrays made in the file (at create), sees the values of the tiles this
// rank writes, window after window, just before they go to the disk, and may fill its arrays when the last one is in
// the file. reduce/run_reduction.hpp is one.
//
// What it did not see (under strategies that hold no windows, or in an earlier run) it has to read in finish().
//
// Threads: all calls come from the simulation's own thread. Memory: an observer says how much it will hold, and the
// windows get that much less of the budget.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/exchange/window.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/object_plan.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft::series {

// What is watched: catalog.fields[field], of whose tiles (partition/tile_grid.hpp) this rank writes these.
struct WatchedField {
  const storage::SeriesCatalog& catalog;
  std::size_t field = 0;
  std::span<const std::uint64_t> tiles;  // ascending; their place here is their slot in a window
};

// A window of the watched field, whole; and the one before it, which can still be seen. now.steps_of(slot, 0, n) are
// the n = times.size() steps of a tile, [step][element].
struct WatchedWindow {
  std::uint64_t first_step = 0;
  std::span<const double> times;
  std::span<const double> times_before;  // empty where nothing came before
  const exchange::TileMemory& now;
  const exchange::TileMemory& before;
  storage::ByteStore& store;  // the file's: an observer may write to its arrays
};

class WindowObserver {
 public:
  virtual ~WindowObserver() = default;

  // The arrays the file is to have for it; they are made and not filled. The same on all ranks; throws Error(usage)
  // where there is nothing to watch as it should.
  virtual std::vector<storage::FixedArrayPlan> arrays(const SeriesSpec& spec) = 0;
  // What the file shows of it, as /maps/..; made anew with the view, by rank 0.
  virtual storage::ObjectPlan objects(const storage::SeriesCatalog& catalog) const = 0;

  // The number of the field it watches in catalog.fields.
  virtual std::size_t field(const storage::SeriesCatalog& catalog) const = 0;
  // Before the first window. Returns the bytes it will hold, at most `allowance`. Not collective.
  virtual std::uint64_t start(const WatchedField& field, std::uint64_t allowance) = 0;
  // Part of a tile's values of one step, elements `offset` and following, on their way into step `step` of the present
  // window: a chance to look at them while the processor's cache has them. Only large parts are shown, and none that
  // come from other ranks. Must not throw.
  virtual void see_part(std::size_t /*slot*/, std::uint64_t /*step*/, std::uint64_t /*offset*/,
                        std::span<const std::byte> /*values*/) {}
  // Not collective.
  virtual void see(const WatchedWindow& window) = 0;
  // All `steps` steps of the series are in the file; `store` is the file's. Collective; throws agreed errors.
  virtual void finish(Communicator& comm, const storage::SeriesCatalog& catalog, storage::ByteStore& store,
                      std::uint64_t steps) = 0;
};

}  // namespace weft::series

#pragma GCC visibility pop
