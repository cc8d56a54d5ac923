#include "predict/series_work.hpp"

#include <algorithm>

#include "predict/series_messages.hpp"
#include "predict/series_requests.hpp"
#include "weft/series/window_length.hpp"
#include "weft/storage/write_plan.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

using stores::Sharing;

// What travels of a field in a step, as a mean of the ranks.
class Travel {
 public:
  // `messages`: where it is known.
  Travel(const SeriesShape& shape, std::uint64_t writers, const std::vector<Tiles>& fields,
         const std::optional<WindowMessages>& messages)
      : ranks_(shape.ranks), writers_(writers), messages_(messages) {
    for (const Tiles& tiles : fields) step_bytes_ += tiles.step_bytes;
  }

  // That a rank has of all fields.
  std::uint64_t local_step_bytes() const { return step_bytes_ / ranks_; }

  // Where it is not known: half a tile at each border between ranks; and all of a rank that does not write.
  std::uint64_t sent_step_bytes(const Tiles& tiles) const {
    if (ranks_ == 1 || step_bytes_ == 0) return 0;
    if (messages_) {
      const double part = static_cast<double>(tiles.step_bytes) / static_cast<double>(step_bytes_);
      return static_cast<std::uint64_t>(static_cast<double>(messages_->step_bytes) / static_cast<double>(ranks_) *
                                        part);
    }
    const std::uint64_t local = tiles.step_bytes / ranks_;
    const std::uint64_t writers = std::min(writers_, tiles.count);
    if (writers < ranks_) return local * (ranks_ - writers) / ranks_;
    return std::min(local, tiles.bytes / 2);
  }
  std::uint64_t received_step_bytes(const Tiles& tiles) const {
    const std::uint64_t writers = std::min(writers_, tiles.count);
    return sent_step_bytes(tiles) * ranks_ / std::max<std::uint64_t>(writers, 1);
  }

 private:
  std::uint64_t ranks_;
  std::uint64_t writers_;
  std::uint64_t step_bytes_ = 0;
  const std::optional<WindowMessages>& messages_;
};

// All ranks have the shortest windows that any of them needs.
std::vector<Window> windows_that_fit(const SeriesShape& shape, std::uint64_t writers, const std::vector<Tiles>& fields,
                                     const Travel& travel, const std::optional<WindowMessages>& messages) {
  const std::uint64_t chunk_steps = fields[0].chunk_steps;
  std::uint64_t fitting = 0;
  if (messages) {
    fitting = messages->steps_that_fit(shape.budget_bytes, chunk_steps);
  } else {
    series::WindowNeeds needs;
    for (const Tiles& tiles : fields) {
      needs.tile_bytes_per_step += ceil_div(tiles.count, writers) * tiles.bytes;
      needs.mail_bytes_per_step += travel.sent_step_bytes(tiles) + travel.received_step_bytes(tiles);
    }
    fitting = steps_that_fit(needs, shape.budget_bytes, chunk_steps);
  }
  return windows_of(series::window_steps(std::max<std::uint64_t>(fitting, 1), chunk_steps), chunk_steps, shape.steps);
}

class SeriesRank {
 public:
  SeriesRank(const SeriesShape& shape, std::uint64_t writers, const std::vector<Tiles>& fields,
             const std::vector<Window>& windows, const Travel& travel, const Rates& rates, bool is_writer, bool more)
      : shape_(shape), writers_(writers), fields_(fields), windows_(windows), travel_(travel), rates_(rates) {
    for (const Tiles& tiles : fields) {
      owned_.push_back(!is_writer ? 0 : more ? ceil_div(tiles.count, writers) : tiles.count / writers);
    }
  }

  std::vector<Step> steps() {
    rank_.call("open", "series create");
    rank_.call("open", "series field", static_cast<double>(fields_.size() - 1));
    write_mesh(rank_, shape_.mesh_bytes, shape_.ranks, shape_.most_request_bytes, rates_);
    left_ = shape_.mesh_bytes / shape_.ranks;
    std::uint64_t fresh = 0;  // bytes of windows that were used before
    for (const Window& window : windows_) {
      put(window.steps, fresh);
      rank_.meet("write");
      rank_.wait("write");
      rank_.call("write", "series window");
      flush(window.steps, window.first % fields_[0].chunk_steps == 0);
    }
    rank_.wait("close");
    if (shape_.syncs) {
      rank_.call("close", "series sync");
      rank_.sync("close", left_, shape_.most_request_bytes);
      rank_.wait_for_writeback("close");
    }
    rank_.meet("close");
    rank_.call("close", "series close");
    rank_.call("close", "series field's close", static_cast<double>(fields_.size() - 1));
    return rank_.steps();
  }

  const Requests& values() const { return values_; }  // written by it

 private:
  // What is put goes to a window or an outbox; what arrives comes into an inbox, and from there to a window. All of
  // this memory is new at first.
  void put(std::uint64_t steps, std::uint64_t& used) {
    std::uint64_t sent = 0;  // in a step
    std::uint64_t arrives = 0;
    std::uint64_t owned = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      sent += travel_.sent_step_bytes(fields_[f]);
      if (owned_[f] > 0) arrives += travel_.received_step_bytes(fields_[f]);
      owned += owned_[f] * fields_[f].bytes;
    }
    const std::uint64_t bytes = (travel_.local_step_bytes() + 2 * arrives) * steps;
    const std::uint64_t memory = (2 * owned + sent + arrives) * windows_.front().steps;  // no window is longer
    const std::uint64_t fresh = std::min(bytes, memory - std::min(used, memory));
    used += fresh;
    rank_.call("write", "series MiB", static_cast<double>(fresh) / (1 << 20));
    rank_.spend("write", static_cast<double>(bytes - fresh) / rates_.copy);
    rank_.travel("write", sent * steps);
  }

  // The first window of a chunk asks for its room; the last rank of a node raises the slot, and one rank writes times.
  void flush(std::uint64_t steps, bool begins_chunks) {
    if (begins_chunks && owned_[0] > 0) rank_.call_behind("reserve", 1 / ranges_of_room(fields_[0]));
    std::uint64_t written = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (owned_[f] == 0) continue;
      const WindowRequests requests = window_requests(fields_[f], owned_[f], steps, shape_.most_request_bytes);
      write(shape_.most_request_bytes, static_cast<double>(requests.whole));
      write(requests.rest_bytes, static_cast<double>(requests.rests));
      written += requests.whole * shape_.most_request_bytes + requests.rests * requests.rest_bytes;
    }
    if (shape_.syncs && shape_.page_cache) {
      rank_.start_writeback(written);
    } else {
      left_ += written;
    }
    const std::uint64_t on_node = shape_.ranks_per_node == 0 ? shape_.ranks : shape_.ranks_per_node;
    rank_.write_behind(Sharing::directly, sizeof(double) * steps, 1 / static_cast<double>(shape_.ranks));
    rank_.write_behind(Sharing::directly, sizeof(std::uint64_t), 1 / static_cast<double>(on_node));
  }

  // Of storage::plan_room: ranges of chunks of the rank, for each that it asks for.
  double ranges_of_room(const Tiles& tiles) const {
    const std::uint64_t rows = ceil_div(storage::kRoomAhead, tiles.count * tiles.bytes * tiles.chunk_steps);
    return rows == 1 ? 1 : static_cast<double>(rows * std::min(writers_, tiles.count));
  }

  void write(std::uint64_t bytes, double times) {
    if (bytes > 0) values_.add({1, static_cast<double>(bytes)}, times);
    rank_.write("write", Sharing::directly, bytes, times * (1 - rates_.behind));
    rank_.write_behind(Sharing::directly, bytes, times * rates_.behind);
  }

  const SeriesShape& shape_;
  std::uint64_t writers_;
  const std::vector<Tiles>& fields_;
  const std::vector<Window>& windows_;
  const Travel& travel_;
  const Rates& rates_;
  std::vector<std::uint64_t> owned_;  // tiles of each field
  std::uint64_t left_ = 0;            // of what is written, for the sync
  Requests values_;
  RankSteps rank_;
};

}  // namespace

void write_mesh(RankSteps& rank, std::uint64_t bytes, std::uint64_t ranks, std::uint64_t most_request_bytes,
                const Rates& rates) {
  const std::uint64_t share = ceil_div(bytes, ranks);
  if (share == 0) return;
  const std::uint64_t request = std::min(share, most_request_bytes);
  rank.call("open", "series mesh");
  rank.spend("open", static_cast<double>(share) / rates.fresh_copy);
  rank.write("open", Sharing::apart, request, static_cast<double>(share) / static_cast<double>(request));
}

SeriesWork series_work(const SeriesShape& shape, const Rates& rates) {
  std::vector<Tiles> fields;
  std::uint64_t most_tiles = 0;
  for (const FieldSpec& field : shape.fields) {
    fields.push_back(tiles_of(field, shape));
    most_tiles = std::max(most_tiles, fields.back().count);
  }
  std::vector<std::uint64_t> nodes(shape.ranks);
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
    nodes[rank] = shape.ranks_per_node == 0 ? 0 : rank / shape.ranks_per_node;
  }
  const partition::Writers writers(nodes, shape.writers.value_or(partition::usual_writers(nodes, false)));
  const auto count = static_cast<std::uint64_t>(writers.count());
  const std::uint64_t with_more = most_tiles % count;
  SeriesWork work;
  const auto of_window = window_messages(shape, writers);
  const Travel travel(shape, count, fields, of_window);
  const std::vector<Window> windows = windows_that_fit(shape, count, fields, travel, of_window);
  std::vector<Requests> values;  // of a rank of each group
  for (const auto& [is_writer, more] : {std::pair{true, true}, std::pair{true, false}, std::pair{false, false}}) {
    SeriesRank rank(shape, count, fields, windows, travel, rates, is_writer, more);
    work.groups.push_back({0, rank.steps()});
    values.push_back(rank.values());
  }
  if (of_window) {
    work.messages = Messages{static_cast<double>(of_window->count * windows.size()),
                             static_cast<double>(of_window->step_bytes * shape.steps)};
  }
  std::vector<std::size_t> group_of(shape.ranks, 2);
  std::vector<bool> writes(shape.ranks);
  for (std::uint64_t number = 0; number < count; ++number) {
    const auto rank = static_cast<std::size_t>(writers.all()[number]);
    group_of[rank] = number < with_more ? 0 : 1;
    writes[rank] = number < most_tiles;
  }
  for (const std::size_t group : group_of) {
    ++work.groups[group].ranks;
    if (work.order.empty() || work.order.back().first != group) work.order.emplace_back(group, 0);
    ++work.order.back().second;
  }
  if (of_window) {
    work.requests = requests_of_values(shape, fields, *of_window, windows);
  } else {
    for (std::size_t group = 0; group < values.size(); ++group) {
      work.requests.add(values[group], static_cast<double>(work.groups[group].ranks));
    }
  }
  work.requests.add({static_cast<double>(windows.size()), static_cast<double>(shape.steps * sizeof(double))});  // times
  const std::uint64_t durable = !shape.syncs ? 0 : shape.syncs_windows ? windows.size() : 1;
  if (of_window) writes = of_window->owners;
  work.requests.add(requests_of_state(nodes, writes, shape.commit_groups, windows.size(), durable));
  return work;
}

void write_series(const SeriesShape& shape, const Rates& rates, std::uint64_t times, Workload& work) {
  SeriesWork once = series_work(shape, rates);
  work.groups = repeated(once.groups, times);
  RankSteps start;
  start.call("open", "hdf5 start");
  start.call("open", "series start");
  for (RankGroup& group : work.groups) {
    group.steps.insert(group.steps.begin(), start.steps().begin(), start.steps().end());
  }
  say_past_the_cache(shape, work);
  say_alignment(shape.aligns, shape.align_bytes, work);
  work.clock_seconds = clock_seconds(shape.commit_seconds);
  work.at_store.emplace();
  work.at_store->add(once.requests, static_cast<double>(times));
  work.at_store->add(shape.mesh_requests, static_cast<double>(times));
  work.order = std::move(once.order);
  work.messages = once.messages;
  if (work.messages) {
    work.messages->count *= static_cast<double>(times);
    work.messages->bytes *= static_cast<double>(times);
  }
}

}  // namespace weft::predict
