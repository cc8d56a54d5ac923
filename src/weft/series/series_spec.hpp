// weft/series/series_spec.hpp - what a simulation tells Weft before its first step.
//
// Plain data. Names, shapes, layouts and steps must be equal on all ranks. Ownerships, parts of the mesh and lists of
// nodes differ from rank to rank.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/layout/access_cost.hpp"
#include "weft/layout/read_weights.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/partition/writers.hpp"
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
  reads,      // the best chunk for LayoutSpec's reads (layout/design.hpp); the default
  isotropic,  // paper 1, Algorithm 1
  rows,       // paper 1's default: (41, N, ...), fewer steps if such a chunk would exceed 2 GiB
  given,      // LayoutSpec::chunk
};

struct LayoutSpec {
  LayoutKind kind = LayoutKind::reads;
  std::uint64_t target_bytes = 1ULL << 20;
  // As in `weft layout --read`, or layout::ReadWeights{.snapshot = 1, .trace = 4} (layout/read_weights.hpp).
  std::string reads = "snapshot=1,trace=1";
  layout::AccessCost access{};  // the cost of a request and of bytes that the layout is chosen for
  Shape chunk{};                // for LayoutKind::given: steps first
};

struct FieldSpec {
  std::string name{};
  DataType type = DataType::float64;
  Shape per_step{};  // global shape of one step; axis 0 is the node (or cell); {} for one number per step
  Support support = Support::nodes;
  // The number of leading axes of per_step that are the node, for a field on a grid of its own. 0: the field is on the
  // series' grid or mesh.
  std::optional<std::size_t> node_axes{};
  std::string units{};
  Attributes attributes{};
  std::vector<std::string>
      components{};  // names, one for each value of a node (for a global field, of a step), or none
  std::vector<std::string> component_units{};  // one for each component, if they differ from `units`
  LayoutSpec layout{};
  // What is done to each chunk before it is written: "shuffle+deflate:1", "shuffle+zstd", "lzf"
  // (storage/chunk_codec.hpp), before them "bitround:N" (storage/bit_rounding.hpp). Empty: nothing. Not for global
  // fields. Strategy owner only.
  std::string filters{};
  // The elements that this rank holds. Not used for a global field: the values of rank 0 are written, and other ranks
  // may put the same values or none.
  partition::Ownership owned = partition::Ownership::none({});
  // For a field on a subset of the nodes (or cells): per_step[0] is the size of the subset, and `owned` refers to rows
  // of the subset. For each owned row, in the order of this rank's local array, this gives the node's number. Stored as
  // /weft/subsets/NAME.
  std::optional<std::vector<std::uint64_t>> subset{};
};

// The mesh in parts: each rank gives the points that it owns, and its cells. A mesh may be as large as all the memory
// that Weft was given, so the arrays stay the caller's, and are read until the series is created.
struct MeshSpec {
  std::uint64_t points = 0;                                     // of the whole mesh
  partition::Ownership owned = partition::Ownership::none({});  // of an array {points, 3}
  std::span<const double> coordinates{};                        // local rows of x, y, z
  // The cells of this rank; cells are numbered over all ranks in rank order. For each cell: its type
  // (support/cell_type.hpp), its number of points, and their global numbers.
  std::span<const std::uint8_t> cell_types{};
  std::span<const std::int64_t> cell_sizes{};
  std::span<const std::int64_t> connectivity{};
};

// Whether large writes bypass the system's page cache (storage/direct_writer.hpp). Strategy owner only.
enum class DirectWrites : std::uint8_t {
  automatic,  // where it is known to be faster: series that are large against the memory on ext4 and XFS; GlusterFS
  always,     // from the first window; Error(usage) if the file system cannot
  never,
};

// When written steps are flushed to the disk, so that they survive a power cut (storage/writer_state.hpp).
enum class Sync : std::uint8_t {
  commit,  // in the background, at most `commit_seconds` after a step, and before flush() or close() returns
  window,  // after each window, before its steps are committed
  none,    // never by Weft: a power cut may lose committed steps
};

struct WriterOptions {
  // The memory that each rank may use for windows, mail and the plan of what travels.
  std::uint64_t budget_bytes = 256ULL << 20;
  std::uint64_t budget_used = 0;  // the part of it that the program uses itself
  DirectWrites direct = DirectWrites::automatic;
  Sync sync = Sync::commit;
  // Steps are committed at most this many seconds after they end, and at least once in this many steps; with
  // Sync::commit they are then on the disk. 0: windows are written when they are full, or when the series ends. The
  // limits are checked in end_step(): the last step waits for the next end_step(), flush() or close().
  double commit_seconds = 60;
  std::uint64_t commit_steps = 0;
  // Which ranks write chunks, with strategy owner: all, so many a node, or so many in all. Empty: as
  // partition::usual_writers() says. Others send what they have to one on their node.
  std::optional<partition::WriterLimit> writers{};
  // The ranks of a node that write say together what is committed; past so many nodes, several nodes do.
  std::uint64_t commit_groups = 64;
  // After SIGTERM or SIGUSR1, which batch systems send before the time limit, the next end_step() flushes all steps to
  // the disk. SIGTERM then ends the program as usual. A signal that the program handles or ignores itself is left to
  // it.
  bool commit_on_signals = true;
  // Break the lock of a writer on another machine. Set it only if you know that this writer has died
  // (storage/writer_lock.hpp).
  bool take_over = false;
  std::string work = "a simulation";  // named in the error of a second writer: "weft run ecg"
  // Wraps the file's store into another one (to count, delay or fail calls).
  std::function<std::unique_ptr<storage::ByteStore>(std::unique_ptr<storage::ByteStore>)> wrap_store{};
};

struct SeriesSpec {
  std::optional<std::uint64_t> steps{};  // empty: not known; the room in the file is doubled as it fills
  std::vector<FieldSpec> fields{};
  std::optional<MeshSpec> mesh{};
  storage::RegularGrid grid{};  // instead of a mesh: the nodes of every field are the points of this grid
  std::string time_units{};
  std::string calendar{};  // of times "since" a date, as CF names it (section 4.4.1): "noleap"; "": not said
  Attributes attributes{};
  // Chunks that different ranks may write begin at multiples of this (a page, a stripe), and so do all fields. 0: a
  // page on file systems that lock or cache by page for each machine (Lustre, GPFS, NFS). 1: no matter.
  std::uint64_t align_bytes = 0;
  storage::IfExists if_exists = storage::IfExists::replace;
  WriterOptions options{};
  std::vector<std::shared_ptr<series::WindowObserver>> observers{};  // reduce/run_reduction.hpp; the same on all ranks
};

// For appending to a series. The fields are those of the file; only the ownerships are given.
struct AppendSpec {
  std::vector<std::pair<std::string, partition::Ownership>> owned{};  // one for each field that is not global
  std::optional<std::uint64_t>
      from_step{};  // resume at this step and drop later ones; empty: after the committed steps
  WriterOptions options{};
  std::vector<std::shared_ptr<series::WindowObserver>>
      observers{};  // observers of the series' creation: their arrays are in the file
};

}  // namespace weft

#pragma GCC visibility pop
