#include "weft/reduce/watched_tile.hpp"

namespace weft::reduce {

namespace {

// Puts a node's values into the rows of its tile.
class RowSink final : public BeatSink {
 public:
  RowSink(MapRows& rows, const std::uint64_t& node, const MapRows::Write& write)
      : rows_(rows), node_(node), write_(write) {}
  bool value(std::size_t quantity, std::uint64_t beat, double value) override {
    return rows_.put(quantity, node_, beat, value);
  }
  void settled(std::uint64_t beat) override {
    if (write_) rows_.settled(beat, write_);
  }

 private:
  MapRows& rows_;
  const std::uint64_t& node_;
  const MapRows::Write& write_;
};

}  // namespace

std::uint64_t Watched::bytes_a_node() const {
  std::uint64_t bytes = beats.quantities().empty() ? 0 : sizeof(NodeBeats) + beats.slots() * sizeof(double);
  for (const auto& other : others) bytes += other->state_size() * sizeof(double);
  return bytes;
}

WatchedTile::WatchedTile(const Watched& watched, const TileNodes& nodes, std::uint64_t& bytes_left)
    : watched_(&watched),
      nodes_(nodes),
      per_beat_(!watched.beats.quantities().empty()),
      rows_({watched.beats.quantities().size(), nodes.count, watched.rows}, bytes_left) {
  if (per_beat_) {
    beats_.resize(nodes.count);
    slots_.resize(nodes.count * watched.beats.slots());
    for (std::uint64_t node = 0; node < nodes.count; ++node) watched.beats.begin(beats_[node], slots_of(node));
  }
  for (const auto& other : watched.others) {
    const std::size_t size = other->state_size();
    std::vector<double>& states = states_.emplace_back(nodes.count * size);
    for (std::uint64_t node = 0; node < nodes.count; ++node) other->begin(std::span(states).subspan(node * size, size));
  }
}

void WatchedTile::see(const WindowTimes& times, std::span<const std::byte> now, std::span<const std::byte> before,
                      const MapRows::Write& write) {
  std::uint64_t node = 0;
  RowSink sink(rows_, node, write);
  const auto as = [&]<typename T>(T) {
    see_as(times, reinterpret_cast<const T*>(now.data()), reinterpret_cast<const T*>(before.data()), sink, node);
  };
  switch (nodes_.type) {
    case DataType::float32: return as(float{});
    case DataType::float64: return as(double{});
    case DataType::int32: return as(std::int32_t{});
    case DataType::int64: return as(std::int64_t{});
    case DataType::uint8: return as(std::uint8_t{});
  }
}

template <typename T>
void WatchedTile::see_as(const WindowTimes& times, const T* now, const T* before, BeatSink& sink,
                         std::uint64_t& node) {
  const std::size_t history = times.history;
  const std::size_t steps = times.t.size() - history;
  std::vector<double> v(times.t.size());
  const Samples samples{v, times.t, history};
  const std::uint64_t pitch = nodes_.tile_elements;
  const T* first_before = before + (times.steps_before - history) * pitch;
  for (node = 0; node < nodes_.count; ++node) {
    const std::uint64_t at = nodes_.offset + node * nodes_.stride;
    for (std::size_t s = 0; s < history; ++s) v[s] = static_cast<double>(first_before[s * pitch + at]);
    for (std::size_t s = 0; s < steps; ++s) v[history + s] = static_cast<double>(now[s * pitch + at]);
    if (per_beat_) watched_->beats.see(beats_[node], slots_of(node), samples, times.first_step, times.all, sink);
    for (std::size_t o = 0; o < states_.size(); ++o) {
      const std::size_t size = watched_->others[o]->state_size();
      watched_->others[o]->see(std::span(states_[o]).subspan(node * size, size), samples);
    }
  }
}

void WatchedTile::finish() {
  if (!per_beat_) return;
  std::uint64_t node = 0;
  const MapRows::Write none;
  RowSink sink(rows_, node, none);
  for (node = 0; node < nodes_.count; ++node) watched_->beats.finish(beats_[node], slots_of(node), sink);
}

double WatchedTile::result(std::size_t other, std::uint64_t node) const {
  const std::size_t size = watched_->others[other]->state_size();
  return watched_->others[other]->result(std::span(states_[other]).subspan(node * size, size));
}

}  // namespace weft::reduce
