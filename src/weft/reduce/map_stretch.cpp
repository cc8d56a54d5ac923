#include "weft/reduce/map_stretch.hpp"

#include <algorithm>
#include <cmath>

#include "weft/reduce/beats.hpp"
#include "weft/reduce/conduction.hpp"

namespace weft::reduce {

std::vector<MapPlan> plan_maps(std::span<const Quantity> quantities,
                               std::span<const std::shared_ptr<const RunningQuantity>> own, const Settings& settings,
                               const std::string& value_units, const std::string& time_units) {
  std::vector<MapPlan> plans;
  for (const Quantity& quantity : quantities) {
    plans.push_back({quantity.name, units_of(quantity, value_units, time_units), rows_of(quantity, settings),
                     quantity.per_beat(), quantity.is(BeatKind::conduction_velocity)});
  }
  for (const auto& one : own) plans.push_back({one->name(), one->units(value_units, time_units)});
  return plans;
}

MapStretch::MapStretch(std::span<const MapPlan> maps, MapWriter& writer, std::vector<double> origin)
    : writer_(writer), origin_(std::move(origin)) {
  std::size_t beats = 0;
  std::size_t others = 0;
  for (std::size_t map = 0; map < maps.size(); ++map) {
    const std::size_t number = maps[map].per_beat ? beats++ : others++;
    for (std::uint64_t row = 0; row < maps[map].rows; ++row) {
      lines_.push_back({map, row, maps[map].per_beat, maps[map].is_conduction, number});
    }
    if (maps[map].per_beat) rows_ = maps[map].rows;
  }
  per_beat_ = beats > 0;
  ranges_.resize(lines_.size());
}

void MapStretch::begin(std::uint64_t first, std::uint64_t count) {
  first_ = first;
  values_.assign(lines_.size() * count, kMissing);
  beats_.assign(count, 0);
}

void MapStretch::take(const WatchedTile& tile, std::uint64_t offset) {
  for (std::uint64_t node = 0; node < count(); ++node) {
    beats_[node] = static_cast<std::int64_t>(tile.beats_of(offset + node));
  }
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const std::span<double> out = line(l);
    if (lines_[l].per_beat) {
      tile.take_beats(lines_[l].number, lines_[l].row, offset, out);
    } else {
      for (std::uint64_t node = 0; node < count(); ++node) out[node] = tile.result(lines_[l].number, offset + node);
    }
  }
}

void MapStretch::set(std::uint64_t node, std::span<const double> lines, std::uint64_t beats) {
  beats_[node] = static_cast<std::int64_t>(beats);
  for (std::size_t l = 0; l < lines_.size(); ++l) line(l)[node] = lines[l];
}

void MapStretch::read_back(const IsWritten& is_written) {
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    if (is_written(lines_[l])) writer_.read(lines_[l].map, lines_[l].row, first_, line(l));
  }
}

void MapStretch::write(std::span<const double> distances, const IsWritten& needs_no_writing) {
  std::uint64_t most = 0;
  for (const std::int64_t beats : beats_) {
    most = std::max(most, static_cast<std::uint64_t>(beats));
    beyond_rows_ += static_cast<std::uint64_t>(beats) > rows_ ? 1 : 0;
  }
  most_beats_ = std::max(most_beats_, most);
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    if (lines_[l].per_beat && lines_[l].row >= most) continue;
    if (needs_no_writing && needs_no_writing(lines_[l])) continue;
    const std::span<double> values = line(l);
    if (lines_[l].is_conduction) to_velocities(values, distances, origin_[l]);
    for (const double value : values) {
      if (std::isnan(value)) continue;
      ++ranges_[l].values;
      ranges_[l].min = std::min(ranges_[l].min, value);
      ranges_[l].max = std::max(ranges_[l].max, value);
    }
    writer_.write(lines_[l].map, lines_[l].row, first_, values);
  }
  if (!per_beat_) return;
  writer_.write_beats(first_, beats_);
  written_.push_back({first_, count(), most});
}

void MapStretch::fill_up(std::uint64_t rows) {
  std::vector<double> missing;
  for (const Written& stretch : written_) {
    for (const MapLine& one : lines_) {
      if (!one.per_beat || one.row < stretch.rows || one.row >= rows) continue;
      missing.assign(stretch.count, kMissing);
      writer_.write(one.map, one.row, stretch.first, missing);
    }
  }
}

}  // namespace weft::reduce
