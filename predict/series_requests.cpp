#include "predict/series_requests.hpp"

#include <algorithm>
#include <map>

#include "weft/series/field_layout.hpp"
#include "weft/series/window_length.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/commit_groups.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

Requests sum_of(const WindowRequests& requests, std::uint64_t most_bytes) {
  return {static_cast<double>(requests.whole + requests.rests),
          static_cast<double>(requests.whole * most_bytes + requests.rests * requests.rest_bytes)};
}

}  // namespace

std::uint64_t pitch_of_chunks(const FieldSpec& field, const Shape& chunk, std::uint64_t align_bytes) {
  storage::ArrayEntry array;
  array.type = field.type;
  array.chunk = chunk;
  array.shape = field.per_step;
  array.shape.insert(array.shape.begin(), chunk[0]);
  return storage::pitch_of(array, align_bytes > 1 ? align_bytes : 0);
}

Tiles tiles_of(const FieldSpec& field, const SeriesShape& shape) {
  const auto layout =
      series::choose_layout(field, shape.place_axes, shape.steps, static_cast<int>(shape.ranks), shape.align_bytes);
  Tiles tiles;
  tiles.chunk_steps = layout.chunk[0];
  tiles.bytes = size_of(field.type);
  tiles.step_bytes = element_count(field.per_step) * size_of(field.type);
  for (std::size_t axis = 0; axis < field.per_step.size(); ++axis) {
    tiles.count *= ceil_div(field.per_step[axis], layout.chunk[axis + 1]);
    tiles.bytes *= layout.chunk[axis + 1];
  }
  tiles.pitch_bytes = pitch_of_chunks(field, layout.chunk, shape.align_bytes);
  return tiles;
}

std::vector<Window> windows_of(std::uint64_t window_steps, std::uint64_t chunk_steps, std::uint64_t all_steps) {
  std::vector<Window> windows;
  for (std::uint64_t step = 0; step < all_steps;) {
    const std::uint64_t end = series::window_end(step, window_steps, chunk_steps, all_steps);
    windows.push_back({step, end - step});
    step = end;
  }
  return windows;
}

WindowRequests window_requests(const Tiles& tiles, std::uint64_t owned, std::uint64_t steps, std::uint64_t most_bytes) {
  // Whole chunks lie one behind the other, unless they are aligned; parts of chunks do not.
  const bool is_one = steps == tiles.chunk_steps && tiles.pitch_bytes == tiles.chunk_steps * tiles.bytes;
  const std::uint64_t run = is_one ? owned * tiles.chunk_steps * tiles.bytes : steps * tiles.bytes;
  const std::uint64_t runs = is_one ? 1 : owned;
  return {run / most_bytes * runs, run % most_bytes, run % most_bytes == 0 ? 0 : runs};
}

Requests requests_of_values(const SeriesShape& shape, const std::vector<Tiles>& fields, const WindowMessages& messages,
                            const std::vector<Window>& windows) {
  std::map<std::uint64_t, std::uint64_t> lengths;  // how many windows there are of each, in steps
  for (const Window& window : windows) ++lengths[window.steps];
  Requests sum;
  for (const auto& [steps, times] : lengths) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
      std::map<std::uint64_t, std::uint64_t> runs;  // how many there are of each length, in tiles
      for (const auto& of_rank : messages.tile_runs[f + 1]) {
        for (const std::uint64_t run : of_rank) ++runs[run];
      }
      for (const auto& [run, count] : runs) {
        const WindowRequests requests = window_requests(fields[f], run, steps, shape.most_request_bytes);
        sum.add(sum_of(requests, shape.most_request_bytes), static_cast<double>(count * times));
      }
    }
  }
  return sum;
}

Requests requests_of_state(const std::vector<std::uint64_t>& nodes, const std::vector<bool>& writes,
                           std::uint64_t most_groups, std::uint64_t commits, std::uint64_t durable) {
  constexpr double kWord = sizeof(std::uint64_t);
  const storage::CommitGroups groups(nodes, writes, most_groups);
  const auto has_word = [](const storage::DurableWord& client) { return client.word.has_value(); };
  const auto clients = static_cast<std::uint64_t>(std::ranges::count_if(durable_words(groups, nodes), has_word));
  Requests sum;
  sum.add({1, kWord * static_cast<double>(storage::words_for_slots(nodes, most_groups))}, 2);
  sum.add({1, kWord * static_cast<double>(storage::kWriterWords)});
  sum.add({1, kWord}, static_cast<double>(commits * groups.count() + durable * clients));
  return sum;
}

}  // namespace weft::predict
