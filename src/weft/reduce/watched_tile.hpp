// weft/reduce/watched_tile.hpp - what is carried for the nodes of one tile from window to window.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/reduce/map_rows.hpp"
#include "weft/reduce/quiet_nodes.hpp"
#include "weft/reduce/running_beats.hpp"
#include "weft/reduce/running_quantity.hpp"
#include "weft/support/data_type.hpp"

namespace weft::reduce {

// Where the values of a tile's nodes lie: of a step of `tile_elements`, node i has element offset + i * stride.
struct TileNodes {
  std::size_t slot = 0;     // of the tile in a window
  std::uint64_t first = 0;  // node of the field
  std::uint64_t count = 0;
  DataType type = DataType::float64;
  std::uint64_t tile_elements = 0;
  std::uint64_t offset = 0;
  std::uint64_t stride = 1;
};

// What is wanted of every node; one for all tiles.
struct Watched {
  RunningBeats beats;
  std::vector<std::shared_ptr<const RunningQuantity>> others;  // not per beat
  std::uint64_t rows = 0;                                      // of a map per beat
  std::uint64_t bytes_a_node() const;                          // held for it, rows of maps apart
  std::size_t history() const { return beats.quantities().empty() ? 1 : beats.history(); }
};
Watched watch(std::span<const Quantity> quantities, std::span<const std::shared_ptr<const RunningQuantity>> own,
              const Settings& settings);

// The steps a window has, with as many before as history() wants and memory holds.
struct WindowTimes {
  std::uint64_t first_step = 0;
  std::size_t history = 0;       // samples from the window before
  std::size_t steps_before = 0;  // of the window before; the last `history` of them count
  std::vector<double> t;         // history + the window's steps
  std::vector<double> spans;     // the intervals that end with the window's steps, where there is a history
  std::span<const double> all;   // from step 0 to the window's last
  void find_spans();             // from t
};

class WatchedTile {
 public:
  // Writes a row of maps that is complete: values [quantity][node].
  using WriteRow = std::function<void(std::uint64_t row, std::span<double> values)>;

  // `watched` and `bytes_left` outlive it.
  WatchedTile(const Watched& watched, const TileNodes& nodes, std::uint64_t& bytes_left);

  const TileNodes& nodes() const { return nodes_; }
  // A row of the tile on its way into the present window, which has `step` steps already: what the tile has of a step.
  // Not needed, but spares see() the reading of most rows.
  void see_row(std::uint64_t step, std::span<const std::byte> row);
  // The tile's steps in the window and in the one before, [step][element].
  void see(const WindowTimes& times, std::span<const std::byte> now, std::span<const std::byte> before,
           const WriteRow& write);
  // No more samples will come. `times` has all steps.
  void finish(std::span<const double> times);

  bool gave_up(std::uint64_t node) const { return per_beat_ && marks_[node].gave_up; }
  std::uint64_t beats_of(std::uint64_t node) const { return per_beat_ ? marks_[node].begun : 0; }
  // After finish(): of nodes first, first + 1, .. that have not given up. NaN where a node has no such beat, and where
  // the row has been written.
  void take_beats(std::size_t quantity, std::uint64_t beat, std::uint64_t first, std::span<double> values) const;
  bool is_written(std::uint64_t beat) const { return rows_.is_written(beat); }
  double result(std::size_t other, std::uint64_t node) const;

 private:
  template <typename T>
  void see_as(const WindowTimes& times, const T* now, const T* before, BeatSink& sink, std::uint64_t& node);
  // What the nodes of a block have in common, so that a window may be seen by all of them at once.
  enum class Phase : std::uint8_t { mixed, resting, in_beat, given_up };
  struct Block {
    Phase phase = Phase::mixed;
    double limit = 0;  // resting: the greatest target a duration waits for; in a beat: the least peak so far
  };
  Block block_of(std::uint64_t first, std::uint64_t count);
  bool goes_on(const Block& block, const Extent& extent) const;
  // False, nothing done, where something may begin or end.
  bool see_block(Block& block, std::uint64_t first, std::span<const BlockRow> rows, std::span<const double> spans,
                 const Extent& extent);
  // What looks at many nodes at once looks at a block of them.
  void see_side_by_side(const WindowTimes& times, std::uint64_t first, std::uint64_t count,
                        std::span<const BlockRow> rows);
  void see_node(const WindowTimes& times, std::uint64_t node, std::span<const double> v, BeatSink& sink);
  NodeBeats node_beats(std::uint64_t node) const;
  void keep(std::uint64_t node, const NodeBeats& beats);
  std::span<const double> slots_of(std::uint64_t node) const {
    return std::span(slots_).subspan(node * watched_->beats.slots(), watched_->beats.slots());
  }
  std::span<double> slots_of(std::uint64_t node) {
    return std::span(slots_).subspan(node * watched_->beats.slots(), watched_->beats.slots());
  }

  const Watched* watched_;
  TileNodes nodes_;
  bool per_beat_;
  // NodeBeats, each part by itself: blocks of nodes are looked at side by side. Padded to whole blocks.
  std::vector<BeatMarks> marks_;
  std::vector<double> levels_;
  std::vector<double> values_;
  std::vector<double> slots_;
  std::vector<Block> blocks_;
  std::vector<Extent> extents_;              // of the present window: [step][block]
  std::size_t rows_seen_ = 0;                // steps of the present window that extents_ has
  std::vector<std::vector<double>> states_;  // of each other quantity: [node][state]
  MapRows rows_;
};

}  // namespace weft::reduce
