// weft/reduce/map_stretch.hpp - the values of a stretch of nodes in all rows of all maps, between those who find them
// (a watched tile, or the reducer of whole traces) and the file.
//
// A row of a map is a line here: [line][node of the stretch]. Rows beyond the beats any node of the stretch has are not
// written; fill_up() does that for those that turn out to be shown, when all ranks have told how many beats there are.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "weft/reduce/map_writer.hpp"
#include "weft/reduce/watched_tile.hpp"

namespace weft::reduce {

// One map for each quantity, then one for each of one's own.
std::vector<MapPlan> plan_maps(std::span<const Quantity> quantities,
                               std::span<const std::shared_ptr<const RunningQuantity>> own, const Settings& settings,
                               const std::string& value_units, const std::string& time_units);

// A row of a map, in the order of TraceReducer's rows.
struct MapLine {
  std::size_t map = 0;
  std::uint64_t row = 0;
  bool per_beat = false;
  bool is_conduction = false;
  std::size_t number = 0;  // among the quantities per beat, or among the others
};

// Of all values of a line that were written.
struct LineRange {
  std::uint64_t values = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
};

class MapStretch {
 public:
  // `origin` has what the reducer makes of the trace of the node that conduction velocities are measured from, where
  // there is one. `writer` outlives it.
  MapStretch(std::span<const MapPlan> maps, MapWriter& writer, std::vector<double> origin);

  const std::vector<MapLine>& lines() const { return lines_; }
  bool has_beats() const { return per_beat_; }

  // The next stretch; nothing is known of it.
  void begin(std::uint64_t first, std::uint64_t count);
  std::uint64_t first() const { return first_; }
  std::uint64_t count() const { return beats_.size(); }
  // What a finished tile holds of its nodes from `offset` on.
  void take(const WatchedTile& tile, std::uint64_t offset);
  // What the reducer found of a whole trace.
  void set(std::uint64_t node, std::span<const double> lines, std::uint64_t beats);
  // Lines that are in the file already are read back, so that set() can change them.
  using IsWritten = std::function<bool(const MapLine&)>;
  void read_back(const IsWritten& is_written);
  // Writes the stretch, but for the lines that are in the file and need no change. `distances` are those of its nodes
  // from the origin, where conduction velocities are wanted.
  void write(std::span<const double> distances, const IsWritten& needs_no_writing = {});

  // Rows up to `rows` in all stretches in which no node has as many beats.
  void fill_up(std::uint64_t rows);

  std::uint64_t most_beats() const { return most_beats_; }    // of a node, of all stretches
  std::uint64_t beyond_rows() const { return beyond_rows_; }  // nodes that have more beats than rows
  const std::vector<LineRange>& ranges() const { return ranges_; }

 private:
  struct Written {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t rows;  // of quantities per beat
  };
  std::span<double> line(std::size_t number) { return std::span(values_).subspan(number * count(), count()); }

  MapWriter& writer_;
  std::vector<double> origin_;
  std::vector<MapLine> lines_;
  bool per_beat_ = false;
  std::uint64_t rows_ = 0;  // of a map per beat
  std::uint64_t first_ = 0;
  std::vector<double> values_;
  std::vector<std::int64_t> beats_;
  std::vector<Written> written_;
  std::vector<LineRange> ranges_;
  std::uint64_t most_beats_ = 0;
  std::uint64_t beyond_rows_ = 0;
};

}  // namespace weft::reduce
