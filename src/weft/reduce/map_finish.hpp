// weft/reduce/map_finish.hpp - the end of a run's reductions: rows that are still in memory are written, and nodes that
// gave up are reduced from the file. Not collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/reading/series_reader.hpp"
#include "weft/reduce/field_choice.hpp"
#include "weft/reduce/map_stretch.hpp"
#include "weft/reduce/map_writer.hpp"
#include "weft/reduce/trace_block.hpp"
#include "weft/reduce/trace_reducer.hpp"
#include "weft/reduce/watched_tile.hpp"

namespace weft::reduce {

class MapFinish {
 public:
  // `maps` in the order of the rows of `reducer`. `reader` may be null where no node gave up and there is no `origin`,
  // the node that conduction velocities are measured from. All outlive it.
  MapFinish(const std::vector<MapPlan>& maps, TraceReducer& reducer, MapWriter& writer, const SeriesReader* reader,
            FieldChoice field, std::optional<std::uint64_t> origin, std::uint64_t budget_bytes);

  // The nodes of a tile, or any nodes from the file alone where `tile` is null. Where conduction velocities are wanted,
  // `distances` has those of the nodes.
  void finish(const TileNodes& nodes, const WatchedTile* tile, std::span<const double> distances);
  // Rows up to `rows` of nodes that have fewer beats.
  void fill_up(std::uint64_t rows) { stretch_->fill_up(rows); }

  std::uint64_t most_beats() const { return stretch_->most_beats(); }
  std::uint64_t beyond_rows() const { return stretch_->beyond_rows(); }

 private:
  // Nodes first, first + 1, .. of the field, which are offset, offset + 1, .. of the tile.
  void finish_stretch(std::uint64_t first, std::uint64_t offset, std::uint64_t count, const WatchedTile* tile,
                      std::span<const double> distances);
  void take_from_file(const std::vector<std::uint64_t>& missing);
  // Until the next call.
  TraceBlock read_traces(std::uint64_t first, std::uint64_t nodes);

  TraceReducer& reducer_;
  const SeriesReader* reader_;
  FieldChoice field_;
  std::uint64_t budget_bytes_;
  std::vector<double> times_;
  Values<std::byte> traces_;
  std::vector<double> result_;  // of one trace
  std::optional<MapStretch> stretch_;
};

}  // namespace weft::reduce
