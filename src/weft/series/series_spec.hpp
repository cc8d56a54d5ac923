// weft/series/series_spec.hpp - what a simulation tells Weft before its first step.
//
// Plain data. Global things (names, shapes, layouts, steps) must be equal on all ranks; ownerships, mesh parts and node
// lists are each rank's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/layout/access_cost.hpp"
#include "weft/layout/read_weights.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/support/cell_type.hpp"

#pragma GCC visibility push(default)

namespace weft {

namespace series {
class WindowObserver;  // series/window_observer.hpp
}

using storage::Attributes;
using storage::Support;

// How the chunk of a field is chosen.
enum class LayoutKind {
  reads,      // the best chunk for the reads that are stated (layout/design.hpp); the default
  isotropic,  // paper 1, Algorithm 1
  rows,       // paper 1's default: (41, N, ...), fewer steps where such a chunk would pass 2 GiB
  given,      // LayoutSpec::chunk
};

struct LayoutSpec {
  LayoutKind kind = LayoutKind::reads;
  std::uint64_t target_bytes = 1ULL << 20;
  // As `weft layout --read` has it, or layout::ReadWeights{.snapshot = 1, .trace = 4} (layout/read_weights.hpp).
  std::string reads = "snapshot=1,trace=1";
  layout::AccessCost access{};  // what the layout is designed for
  Shape chunk{};                // for LayoutKind::given: steps first
};

struct FieldSpec {
  std::string name{};
  DataType type = DataType::float64;
  Shape per_step{};  // global shape of one step; axis 0 is the node (or cell); {} for one number a step
  Support support = Support::nodes;
  // The leading axes of per_step that say which node, where the field stands on a grid of its own, and not on that of
  // the series.
  std::optional<std::size_t> node_axes{};
  std::string units{};
  Attributes attributes{};
  std::vector<std::string>
      components{};  // names, one for each value of a node (of a step, for a global field), or none
  std::vector<std::string> component_units{};  // one for each of those, where they are not all `units`
  LayoutSpec layout{};
  // Which elements this rank holds. Not used for a global field: rank 0's values count, other ranks may put the same or
  // nothing.
  partition::Ownership owned = partition::Ownership::none({});
  // For a field on some of the nodes only: per_step[0] is their number, `owned` counts among them, and this names, for
  // each of this rank's owned rows in the order of its local array, the node (or cell) it stands for. Stored as
  // /weft/subsets/NAME.
  std::optional<std::vector<std::uint64_t>> subset{};
};

// The mesh, in parts: every rank gives the points it owns and its own cells.
struct MeshSpec {
  std::uint64_t points = 0;                                     // of the whole mesh
  partition::Ownership owned = partition::Ownership::none({});  // of an array {points, 3}
  std::vector<double> coordinates{};                            // local rows of x, y, z
  // Cells of this rank, numbered over all ranks in rank order: type (support/cell_type.hpp), number of points, and
  // global point numbers.
  std::vector<std::uint8_t> cell_types{};
  std::vector<std::int64_t> cell_sizes{};
  std::vector<std::int64_t> connectivity{};
};

// Whether large writes go past the system's page cache (storage/direct_writer.hpp). Strategy owner only.
enum class DirectWrites : std::uint8_t {
  automatic,  // once the series is larger than the cache takes gladly, where it is known to pay (ext4, XFS)
  always,     // from the first window on, wherever the file system can; Error(usage) where it cannot
  never,
};

// When what was written is brought to the disk, so that a power cut leaves it (storage/writer_state.hpp).
enum class Sync : std::uint8_t {
  commit,  // behind the computation, at the latest `commit_seconds` after a step, and when flush() or close() returns
  window,  // after each window, before its steps count as written
  none,    // never by Weft: what a power cut leaves is the system's business
};

struct WriterOptions {
  std::uint64_t budget_bytes = 256ULL << 20;  // memory a rank may use for windows
  std::uint64_t budget_used = 0;              // of those, what the program uses itself
  DirectWrites direct = DirectWrites::automatic;
  Sync sync = Sync::commit;
  // A step is in the file, and with Sync::commit on the disk, so many seconds after its end at the latest, and when so
  // many steps have been gathered; 0: windows are written when they are full, or the series ends. A step that is not
  // followed by another end_step() waits for it.
  double commit_seconds = 60;
  std::uint64_t commit_steps = 0;
  // SIGTERM and SIGUSR1, which batch systems send before the end, have all steps brought to the disk at the next
  // end_step(); SIGTERM then ends the program as it would have. Where the program handles SIGTERM itself, or ignores
  // either of them, that is left to it.
  bool commit_on_signals = true;
  // Take the file from a writer of which nobody knows whether it lives (storage/writer_lock.hpp).
  bool take_over = false;
  std::string work = "a simulation";  // what those read who are refused: "weft run ecg"
  // Puts a store of one's own around the file's (counting, delaying, failing).
  std::function<std::unique_ptr<storage::ByteStore>(std::unique_ptr<storage::ByteStore>)> wrap_store{};
};

struct SeriesSpec {
  std::optional<std::uint64_t> steps{};  // nothing: unknown, the file grows by segments whose lengths double
  std::vector<FieldSpec> fields{};
  std::optional<MeshSpec> mesh{};
  storage::GridMap grid{};  // instead of a mesh: the nodes of every field are those of this grid
  std::string time_units{};
  Attributes attributes{};
  std::uint64_t align_bytes = 0;  // large data begin at multiples of this (a stripe, say)
  storage::IfExists if_exists = storage::IfExists::replace;
  WriterOptions options{};
  std::vector<std::shared_ptr<series::WindowObserver>> observers{};  // reduce/run_reduction.hpp; the same on all ranks
};

// For going on with a series that exists. Fields are the file's; only who holds what is said anew.
struct AppendSpec {
  std::vector<std::pair<std::string, partition::Ownership>> owned{};  // one for each field that is not global
  std::optional<std::uint64_t> from_step{};  // go back to here and write anew; nothing: after the committed steps
  WriterOptions options{};
  std::vector<std::shared_ptr<series::WindowObserver>> observers{};  // of those at create: their arrays are in the file
};

}  // namespace weft

#pragma GCC visibility pop
