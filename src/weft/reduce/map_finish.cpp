#include "weft/reduce/map_finish.hpp"

#include <algorithm>
#include <utility>

#include "weft/reduce/trace_block.hpp"

namespace weft::reduce {

MapFinish::MapFinish(const std::vector<MapPlan>& maps, TraceReducer& reducer, MapWriter& writer,
                     const SeriesReader* reader, FieldChoice field, std::optional<std::uint64_t> origin,
                     std::uint64_t budget_bytes)
    : reducer_(reducer),
      reader_(reader),
      field_(std::move(field)),
      budget_bytes_(budget_bytes),
      result_(reducer.rows()) {
  if (reader_ != nullptr) times_ = reader_->times();
  if (origin) {
    for_each_trace(
        read_traces(*origin, 1), [](std::uint64_t) { return true; },
        [&](std::uint64_t, std::span<const double> trace) { reducer_.reduce(trace, times_, result_); });
  }
  stretch_.emplace(maps, writer, result_);
}

void MapFinish::finish(const TileNodes& nodes, const WatchedTile* tile, std::span<const double> distances) {
  const std::uint64_t bytes_a_node =
      ((field_.components + 1) * times_.size() + stretch_->lines().size() + 1) * sizeof(double);
  const std::uint64_t together = std::max<std::uint64_t>(1, budget_bytes_ / bytes_a_node);
  for (std::uint64_t offset = 0; offset < nodes.count; offset += together) {
    finish_stretch(nodes.first + offset, offset, std::min(together, nodes.count - offset), tile, distances);
  }
}

void MapFinish::finish_stretch(std::uint64_t first, std::uint64_t offset, std::uint64_t count, const WatchedTile* tile,
                               std::span<const double> distances) {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t node = 0; node < count; ++node) {
    if (tile == nullptr || tile->gave_up(offset + node)) missing.push_back(node);
  }
  const auto is_written = [&](const MapLine& line) {
    return line.per_beat && tile != nullptr && tile->is_written(line.row);
  };
  const auto needs_no_change = [&](const MapLine& line) {
    return is_written(line) && missing.empty() && !line.is_conduction;
  };
  stretch_->begin(first, count);
  if (tile != nullptr) stretch_->take(*tile, offset);
  stretch_->read_back([&](const MapLine& line) { return is_written(line) && !needs_no_change(line); });
  if (!missing.empty()) take_from_file(missing);
  stretch_->write(distances.empty() ? distances : distances.subspan(offset, count), needs_no_change);
}

void MapFinish::take_from_file(const std::vector<std::uint64_t>& missing) {
  const std::uint64_t from = missing.front();
  const TraceBlock traces = read_traces(stretch_->first() + from, missing.back() + 1 - from);
  const auto wanted = [&](std::uint64_t node) {
    return std::binary_search(missing.begin(), missing.end(), from + node);
  };
  for_each_trace(traces, wanted, [&](std::uint64_t node, std::span<const double> trace) {
    const std::uint64_t beats = reducer_.reduce(trace, times_, result_);
    stretch_->set(from + node, result_, beats);
  });
}

TraceBlock MapFinish::read_traces(std::uint64_t first, std::uint64_t nodes) {
  const storage::FieldEntry& field = reader_->catalog().fields[field_.field];
  traces_.resize(nodes * times_.size() * field_.components * size_of(field.type));
  reader_->read_nodes(field.name, first, nodes, 0, times_.size(), std::span<std::byte>(traces_));
  return {field.type, traces_, times_.size(), nodes, field_.components, field_.component};
}

}  // namespace weft::reduce
