#include "weft/reduce/watched_tile.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "weft/reduce/beats.hpp"
#include "weft/support/shape.hpp"

namespace weft::reduce {

namespace {

// Windows lie in memory no cache remembers, in rows too short for the processor to see them coming.
constexpr std::uint64_t kAhead = 2 * kBlockNodes;
constexpr std::uint64_t kCacheLine = 64;

// Puts a node's beats into the rows of its tile, and has rows written that are full.
class RowSink final : public BeatSink {
 public:
  RowSink(MapRows& rows, const std::uint64_t& node, const WatchedTile::WriteRow& write)
      : rows_(rows), node_(node), write_(write) {}
  bool beat(std::uint64_t number, std::span<const double> values) override {
    if (!rows_.put(node_, number, values)) return false;
    if (write_ && rows_.is_full(number)) {
      write_(number, rows_.row(number));
      rows_.set_written(number);
    }
    return true;
  }

 private:
  MapRows& rows_;
  const std::uint64_t& node_;
  const WatchedTile::WriteRow& write_;
};

}  // namespace

std::uint64_t Watched::bytes_a_node() const {
  std::uint64_t bytes = beats.quantities().empty() ? 0 : sizeof(NodeBeats) + beats.slots() * sizeof(double);
  for (const auto& other : others) bytes += other->state_size() * sizeof(double);
  return bytes;
}

Watched watch(std::span<const Quantity> quantities, std::span<const std::shared_ptr<const RunningQuantity>> own,
              const Settings& settings) {
  Watched watched{RunningBeats(quantities, settings.threshold), {}, settings.max_beats};
  for (const Quantity& quantity : quantities) {
    if (!quantity.per_beat()) watched.others.push_back(make_running(quantity, settings.threshold));
  }
  watched.others.insert(watched.others.end(), own.begin(), own.end());
  return watched;
}

void WindowTimes::find_spans() {
  spans.clear();
  for (std::size_t i = history; i < t.size() && history > 0; ++i) spans.push_back(t[i] - t[i - 1]);
}

WatchedTile::WatchedTile(const Watched& watched, const TileNodes& nodes, std::uint64_t& bytes_left)
    : watched_(&watched),
      nodes_(nodes),
      per_beat_(!watched.beats.quantities().empty()),
      rows_({watched.beats.quantities().size(), nodes.count, watched.rows}, bytes_left) {
  if (per_beat_) {
    const std::uint64_t padded = ceil_div(nodes.count, kBlockNodes) * kBlockNodes;
    marks_.resize(padded);
    levels_.resize(padded);
    values_.resize(padded);
    slots_.resize(nodes.count * watched.beats.slots());
    for (std::uint64_t node = 0; node < nodes.count; ++node) {
      NodeBeats beats;
      watched.beats.begin(beats, slots_of(node));
      keep(node, beats);
    }
  }
  blocks_.resize(ceil_div(nodes.count, kBlockNodes));
  for (const auto& other : watched.others) {
    const std::size_t size = other->state_size();
    std::vector<double>& states = states_.emplace_back(nodes.count * size);
    for (std::uint64_t node = 0; node < nodes.count; ++node) other->begin(std::span(states).subspan(node * size, size));
  }
}

NodeBeats WatchedTile::node_beats(std::uint64_t node) const { return {marks_[node], levels_[node], values_[node]}; }

void WatchedTile::keep(std::uint64_t node, const NodeBeats& beats) {
  marks_[node] = beats;
  levels_[node] = beats.level;
  values_[node] = beats.value;
}

void WatchedTile::see(const WindowTimes& times, std::span<const std::byte> now, std::span<const std::byte> before,
                      const WriteRow& write) {
  std::uint64_t node = 0;
  RowSink sink(rows_, node, write);
  with_type(nodes_.type, [&]<typename T>(T) {
    see_as(times, reinterpret_cast<const T*>(now.data()), reinterpret_cast<const T*>(before.data()), sink, node);
  });
}

void WatchedTile::see_row(std::uint64_t step, std::span<const std::byte> row) {
  if (!per_beat_ || step != rows_seen_) return;  // one is missing: then the window is looked at without them
  ++rows_seen_;
  extents_.resize(rows_seen_ * blocks_.size());
  const std::uint64_t block_bytes = kBlockNodes * nodes_.stride * size_of(nodes_.type);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].phase != Phase::in_beat) continue;  // the others are looked at in any case
    extents_[step * blocks_.size() + block] = extent_of(nodes_.type, row.subspan(block * block_bytes, block_bytes),
                                                        kBlockNodes, nodes_.stride, nodes_.offset);
  }
}

template <typename T>
void WatchedTile::see_as(const WindowTimes& times, const T* now, const T* before, BeatSink& sink, std::uint64_t& node) {
  const std::size_t history = times.history;
  const std::size_t samples = times.t.size();
  const std::uint64_t pitch = nodes_.tile_elements;
  const T* const first_before = before + (times.steps_before - history) * pitch;
  // Row s has sample s of the window, those of the window before first.
  const auto row = [&](std::size_t s) {
    return (s < history ? first_before + s * pitch : now + (s - history) * pitch) + nodes_.offset;
  };
  const bool seen = rows_seen_ == samples - history;
  rows_seen_ = 0;
  std::vector<double> v(samples);
  std::vector<BlockRow> values(samples);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const std::uint64_t first = block * kBlockNodes;
    const std::uint64_t count = std::min<std::uint64_t>(kBlockNodes, nodes_.count - first);
    const auto fetch = [&](std::size_t from, std::size_t to) {
      for (std::size_t s = from; s < to; ++s) {
        const T* const source = row(s) + first * nodes_.stride;
        const auto* ahead = reinterpret_cast<const std::byte*>(source + kAhead * nodes_.stride);
        for (std::uint64_t line = 0; line < count * nodes_.stride * sizeof(T); line += kCacheLine) {
          __builtin_prefetch(ahead + line);  // may lie behind the end: a wish, not an access
        }
        if (count == kBlockNodes) {
          take_block(nodes_.type, reinterpret_cast<const std::byte*>(source), nodes_.stride, values[s]);
        } else {
          for (std::uint64_t i = 0; i < count; ++i) values[s][i] = static_cast<double>(source[i * nodes_.stride]);
        }
      }
    };
    std::size_t fetched = samples;
    if (blocks_[block].phase != Phase::mixed && history > 0) {
      std::optional<Extent> extent;
      const bool known = seen && blocks_[block].phase == Phase::in_beat;
      for (std::size_t s = 0; known && s < samples - history; ++s) {
        if (s == 0) extent.emplace();
        extent->add(extents_[s * blocks_.size() + block]);
      }
      if (blocks_[block].phase == Phase::given_up) continue;
      if (extent && goes_on(blocks_[block], *extent)) continue;
      fetched = history - 1;  // where nothing happens the last sample before the window is enough
      fetch(fetched, samples);
      const auto rows = std::span<const BlockRow>(values).subspan(fetched);
      if (see_block(blocks_[block], first, rows, times.spans, extent ? *extent : extent_of(rows.subspan(1)))) continue;
    }
    fetch(0, fetched);
    for (std::uint64_t i = 0; i < count; ++i) {
      node = first + i;
      for (std::size_t s = 0; s < samples; ++s) v[s] = values[s][i];
      see_node(times, node, v, sink);
    }
    see_side_by_side(times, first, count, values);
    blocks_[block] = block_of(first, count);
  }
}

// Whether the window has nothing new for a block in a beat: that goes on, below its peak.
bool WatchedTile::goes_on(const Block& block, const Extent& extent) const {
  return extent.lo >= watched_->beats.threshold() && extent.hi <= block.limit;
}

bool WatchedTile::see_block(Block& block, std::uint64_t first, std::span<const BlockRow> rows,
                            std::span<const double> spans, const Extent& extent) {
  const double threshold = watched_->beats.threshold();
  const std::span<double, kBlockNodes> values(values_.data() + first, kBlockNodes);
  if (block.phase == Phase::in_beat && extent.lo >= threshold) {
    see_in_beat(rows, values);
    block.limit = *std::min_element(values.begin(), values.end());
    return true;
  }
  if (block.phase == Phase::resting && extent.hi <= threshold && extent.lo >= block.limit) {
    see_resting(rows, spans, std::span<double, kBlockNodes>(levels_.data() + first, kBlockNodes), values);
    return true;
  }
  return false;
}

WatchedTile::Block WatchedTile::block_of(std::uint64_t first, std::uint64_t count) {
  Block block;
  if (!per_beat_ || !states_.empty() || count < kBlockNodes || watched_->beats.has_upstroke()) return block;
  std::size_t resting = 0;
  std::size_t in_beat = 0;
  double least_peak = std::numeric_limits<double>::infinity();
  double greatest_target = -std::numeric_limits<double>::infinity();
  for (std::uint64_t node = first; node < first + count; ++node) {
    const BeatMarks& mark = marks_[node];
    if (mark.gave_up) continue;
    (mark.in_beat ? in_beat : resting) += 1;
    if (mark.in_beat) least_peak = std::min(least_peak, values_[node]);
    if (mark.falling) greatest_target = std::max(greatest_target, watched_->beats.greatest_target(slots_of(node)));
  }
  if (in_beat == 0 && resting == 0) return {Phase::given_up, 0};
  if (in_beat == 0) return {Phase::resting, greatest_target};
  if (resting == 0) return {Phase::in_beat, least_peak};
  return block;
}

void WatchedTile::see_node(const WindowTimes& times, std::uint64_t node, std::span<const double> v, BeatSink& sink) {
  const Samples samples{v, times.t, times.history};
  if (per_beat_ && !marks_[node].gave_up) {
    NodeBeats beats = node_beats(node);
    watched_->beats.see(beats, slots_of(node), samples, times.first_step, times.all, sink);
    keep(node, beats);
  }
  for (std::size_t o = 0; o < states_.size(); ++o) {
    if (watched_->others[o]->sees_many()) continue;
    const std::size_t size = watched_->others[o]->state_size();
    watched_->others[o]->see(std::span(states_[o]).subspan(node * size, size), samples);
  }
}

void WatchedTile::see_side_by_side(const WindowTimes& times, std::uint64_t first, std::uint64_t count,
                                   std::span<const BlockRow> rows) {
  const std::span<const double> values(rows.front().data(), rows.size() * kBlockNodes);
  const SamplesOfNodes samples{values, kBlockNodes, count, times.t, times.history};
  for (std::size_t o = 0; o < states_.size(); ++o) {
    if (!watched_->others[o]->sees_many()) continue;
    const std::size_t size = watched_->others[o]->state_size();
    watched_->others[o]->see_nodes(std::span(states_[o]).subspan(first * size, count * size), samples);
  }
}

void WatchedTile::finish(std::span<const double> times) {
  if (!per_beat_) return;
  for (std::uint64_t node = 0; node < nodes_.count; ++node) {
    NodeBeats beats = node_beats(node);
    watched_->beats.finish(beats, slots_of(node), times);
    keep(node, beats);
  }
}

void WatchedTile::take_beats(std::size_t quantity, std::uint64_t beat, std::uint64_t first,
                             std::span<double> values) const {
  const std::span<const double> row = rows_.row(beat);
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const std::uint64_t node = first + i;
    const bool is_last = marks_[node].begun == beat + 1 && !marks_[node].gave_up;
    const double before = row.empty() ? kMissing : row[quantity * nodes_.count + node];
    values[i] = is_last ? watched_->beats.last_beat(slots_of(node))[quantity] : before;
  }
}

double WatchedTile::result(std::size_t other, std::uint64_t node) const {
  const std::size_t size = watched_->others[other]->state_size();
  return watched_->others[other]->result(std::span(states_[other]).subspan(node * size, size));
}

}  // namespace weft::reduce
