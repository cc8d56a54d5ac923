#include "weft/reduce/map_finish.hpp"

#include <algorithm>

#include "weft/reduce/conduction.hpp"
#include "weft/reduce/trace_block.hpp"

namespace weft::reduce {

MapFinish::MapFinish(const std::vector<MapPlan>& maps, TraceReducer& reducer, MapWriter& writer,
                     const SeriesReader* reader, const FieldChoice& field, std::optional<std::uint64_t> origin,
                     std::uint64_t budget_bytes)
    : reducer_(reducer), writer_(writer), reader_(reader), field_(field), budget_bytes_(budget_bytes) {
  std::size_t beats = 0;
  std::size_t others = 0;
  for (std::size_t map = 0; map < maps.size(); ++map) {
    const std::size_t number = maps[map].per_beat ? beats++ : others++;
    for (std::uint64_t row = 0; row < maps[map].rows; ++row)
      lines_.push_back({map, row, maps[map].per_beat, maps[map].is_conduction, number});
  }
  per_beat_ = beats > 0;
  if (reader_ != nullptr) times_ = reader_->times();
  if (origin) {
    origin_.resize(lines_.size());
    for_each_trace(
        read_traces(*origin, 1), [](std::uint64_t) { return true; },
        [&](std::uint64_t, std::span<const double> trace) { reducer_.reduce(trace, times_, origin_); });
  }
}

void MapFinish::finish(const TileNodes& nodes, const WatchedTile* tile, std::span<const double> distances) {
  const std::uint64_t bytes_a_node = (2 * times_.size() + lines_.size() + 1) * sizeof(double);
  const std::uint64_t together = std::max<std::uint64_t>(1, budget_bytes_ / bytes_a_node);
  for (std::uint64_t offset = 0; offset < nodes.count; offset += together) {
    finish_stretch(nodes.first, offset, std::min(together, nodes.count - offset), tile, distances);
  }
}

void MapFinish::finish_stretch(std::uint64_t first, std::uint64_t offset, std::uint64_t count, const WatchedTile* tile,
                               std::span<const double> distances) {
  out_.assign(lines_.size() * count, kMissing);
  beats_.assign(count, 0);
  std::vector<std::uint64_t> missing;
  for (std::uint64_t node = 0; node < count; ++node) {
    if (tile == nullptr || tile->gave_up(offset + node)) missing.push_back(node);
  }
  if (tile != nullptr) take_from_tile(*tile, offset, count);
  const auto is_done = [&](const Line& line) { return line.per_beat && tile != nullptr && tile->is_written(line.row); };
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    if (!is_done(lines_[l]) || (missing.empty() && !lines_[l].is_conduction)) continue;
    writer_.read(lines_[l].map, lines_[l].row, first + offset, line_of(l, count));
  }
  if (!missing.empty()) take_from_file(first + offset, missing);
  std::int64_t most = 0;
  std::uint64_t rows = 0;
  for (const Line& line : lines_) rows = std::max(rows, line.row + 1);
  for (const std::int64_t beats : beats_) {
    most = std::max(most, beats);
    beyond_rows_ += static_cast<std::uint64_t>(beats) > rows ? 1 : 0;
  }
  most_beats_ = std::max(most_beats_, static_cast<std::uint64_t>(most));
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const Line& line = lines_[l];
    if (line.per_beat && line.row >= static_cast<std::uint64_t>(most)) continue;
    if (is_done(line) && missing.empty() && !line.is_conduction) continue;
    if (line.is_conduction) to_velocities(line_of(l, count), distances.subspan(offset, count), origin_[l]);
    writer_.write(line.map, line.row, first + offset, line_of(l, count));
  }
  if (!per_beat_) return;
  writer_.write_beats(first + offset, beats_);
  stretches_.push_back({first + offset, count, static_cast<std::uint64_t>(most)});
}

void MapFinish::take_from_tile(const WatchedTile& tile, std::uint64_t offset, std::uint64_t count) {
  for (std::uint64_t node = 0; node < count; ++node) {
    beats_[node] = static_cast<std::int64_t>(tile.beats_of(offset + node));
  }
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const Line& line = lines_[l];
    const std::span<double> out = line_of(l, count);
    if (line.per_beat) {
      tile.take_beats(line.number, line.row, offset, out);
    } else {
      for (std::uint64_t node = 0; node < count; ++node) out[node] = tile.result(line.number, offset + node);
    }
  }
}

void MapFinish::take_from_file(std::uint64_t first, const std::vector<std::uint64_t>& missing) {
  const std::uint64_t from = missing.front();
  const std::uint64_t nodes = missing.back() + 1 - from;
  const std::uint64_t count = beats_.size();
  const TraceBlock traces = read_traces(first + from, nodes);
  std::vector<double> result(lines_.size());
  const auto wanted = [&](std::uint64_t node) {
    return std::binary_search(missing.begin(), missing.end(), from + node);
  };
  for_each_trace(traces, wanted, [&](std::uint64_t node, std::span<const double> trace) {
    beats_[from + node] = static_cast<std::int64_t>(reducer_.reduce(trace, times_, result));
    for (std::size_t l = 0; l < lines_.size(); ++l) out_[l * count + from + node] = result[l];
  });
}

TraceBlock MapFinish::read_traces(std::uint64_t first, std::uint64_t nodes) {
  const storage::FieldMap& field = reader_->map().fields[field_.field];
  Box box = reader_->block_box(field.name, first, nodes);
  std::uint64_t rest = field_.component;
  for (std::size_t axis = box.start.size(); axis-- > 2;) {
    box.start[axis] = rest % field.per_step[axis - 1];
    box.count[axis] = 1;
    rest /= field.per_step[axis - 1];
  }
  traces_.resize(nodes * times_.size() * size_of(field.type));
  reader_->read(field.name, box, std::span<std::byte>(traces_));
  return {field.type, traces_, times_.size(), nodes, 1, 0};
}

void MapFinish::fill_up(std::uint64_t rows) {
  std::vector<double> missing;
  for (const Stretch& stretch : stretches_) {
    for (const Line& line : lines_) {
      if (!line.per_beat || line.row < stretch.rows || line.row >= rows) continue;
      missing.assign(stretch.count, kMissing);
      writer_.write(line.map, line.row, stretch.first, missing);
    }
  }
}

}  // namespace weft::reduce
