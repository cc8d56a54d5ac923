#include "predict/series_work.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "predict/series_messages.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/series/window_length.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/commit_groups.hpp"
#include "weft/storage/direct_writer.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/write_plan.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

using stores::Sharing;

// A field's chunks: those of one step are its tiles.
struct Tiles {
  std::uint64_t chunk_steps = 1;
  std::uint64_t count = 1;        // of a step
  std::uint64_t bytes = 0;        // of a tile, padding included
  std::uint64_t step_bytes = 0;   // of the field, without padding
  std::uint64_t pitch_bytes = 0;  // from one chunk to the next
};

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

// The requests of a window, as storage::plan_writes joins them: whole ones, and what is left of each run of bytes.
struct WindowRequests {
  std::uint64_t whole = 0;
  std::uint64_t rest_bytes = 0;
  std::uint64_t rests = 0;
};

// Of `owned` tiles that follow one another.
WindowRequests window_requests(const Tiles& tiles, std::uint64_t owned, std::uint64_t window,
                               std::uint64_t most_bytes) {
  // Whole chunks lie one behind the other, unless they are aligned; parts of chunks do not.
  const bool is_one = window == tiles.chunk_steps && tiles.pitch_bytes == tiles.chunk_steps * tiles.bytes;
  const std::uint64_t run = is_one ? owned * tiles.chunk_steps * tiles.bytes : window * tiles.bytes;
  const std::uint64_t runs = is_one ? 1 : owned;
  return {run / most_bytes * runs, run % most_bytes, run % most_bytes == 0 ? 0 : runs};
}

Requests sum_of(const WindowRequests& requests, std::uint64_t most_bytes) {
  return {static_cast<double>(requests.whole + requests.rests),
          static_cast<double>(requests.whole * most_bytes + requests.rests * requests.rest_bytes)};
}

// The windows of a series: how many there are of each length, in steps.
std::map<std::uint64_t, std::uint64_t> windows_of(std::uint64_t window_steps, std::uint64_t chunk_steps,
                                                  std::uint64_t all_steps) {
  std::map<std::uint64_t, std::uint64_t> windows;
  for (std::uint64_t step = 0; step < all_steps;) {
    const std::uint64_t end = series::window_end(step, window_steps, chunk_steps, all_steps);
    ++windows[end - step];
    step = end;
  }
  return windows;
}

// Of all ranks, whose tiles are known.
Requests requests_of_values(const SeriesShape& shape, const std::vector<Tiles>& fields,
                            const WindowMessages& messages) {
  const std::uint64_t chunk_steps = fields[0].chunk_steps;
  const std::uint64_t window =
      series::window_steps(messages.steps_that_fit(shape.budget_bytes, chunk_steps), chunk_steps);
  Requests sum;
  for (const auto& [steps, times] : windows_of(window, chunk_steps, shape.steps)) {
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

class SeriesRank {
 public:
  // `messages`: where it is known what travels.
  SeriesRank(const SeriesShape& shape, std::uint64_t writers, const std::vector<Tiles>& fields, const Rates& rates,
             const std::optional<WindowMessages>& messages, bool is_writer, bool more)
      : shape_(shape), writers_(writers), fields_(fields), rates_(rates), messages_(messages) {
    for (const Tiles& tiles : fields) {
      owned_.push_back(!is_writer ? 0 : more ? ceil_div(tiles.count, writers) : tiles.count / writers);
    }
    const std::uint64_t chunk_steps = fields[0].chunk_steps;
    const std::uint64_t fitting = messages ? messages->steps_that_fit(shape.budget_bytes, chunk_steps)
                                           : steps_that_fit(estimated_needs(), shape.budget_bytes, chunk_steps);
    window_steps_ = series::window_steps(std::max<std::uint64_t>(fitting, 1), chunk_steps);
  }

  std::vector<Step> steps() {
    rank_.call("open", "series create");
    rank_.call("open", "series field", static_cast<double>(fields_.size() - 1));
    write_mesh(rank_, shape_.mesh_bytes, shape_.ranks, shape_.most_request_bytes, rates_);
    left_ = shape_.mesh_bytes / shape_.ranks;
    std::uint64_t fresh = 0;  // bytes of windows that were used before
    for (std::uint64_t first = 0; first < shape_.steps;) {
      const std::uint64_t end =
          std::min(shape_.steps, series::window_end(first, window_steps_, fields_[0].chunk_steps, shape_.steps));
      put(end - first, fresh);
      rank_.meet("write");
      rank_.wait("write");
      rank_.call("write", "series window");
      flush(end - first, first % fields_[0].chunk_steps == 0);
      ++windows_;
      first = end;
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

  std::uint64_t windows() const { return windows_; }
  const Requests& values() const { return values_; }  // written by it

 private:
  std::uint64_t local_step_bytes() const {
    std::uint64_t sum = 0;
    for (const Tiles& tiles : fields_) sum += tiles.step_bytes / shape_.ranks;
    return sum;
  }
  std::uint64_t window_bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f) sum += owned_[f] * fields_[f].bytes * window_steps_;
    return sum;
  }

  series::WindowNeeds estimated_needs() const {
    series::WindowNeeds needs;
    for (const Tiles& tiles : fields_) {
      needs.tile_bytes_per_step += ceil_div(tiles.count, writers_) * tiles.bytes;
      needs.mail_bytes_per_step += sent_step_bytes(tiles) + received_step_bytes(tiles);
    }
    return needs;
  }

  // A mean of the ranks. Where it is not known: half a tile at each border between ranks; and all of a rank that does
  // not write.
  std::uint64_t sent_step_bytes(const Tiles& tiles) const {
    if (shape_.ranks == 1) return 0;
    if (messages_) {
      const double part = static_cast<double>(tiles.step_bytes) / static_cast<double>(local_step_bytes());
      return static_cast<std::uint64_t>(static_cast<double>(messages_->step_bytes / shape_.ranks) * part /
                                        static_cast<double>(shape_.ranks));
    }
    const std::uint64_t local = tiles.step_bytes / shape_.ranks;
    const std::uint64_t writers = std::min(writers_, tiles.count);
    if (writers < shape_.ranks) return local * (shape_.ranks - writers) / shape_.ranks;
    return std::min(local, tiles.bytes / 2);
  }
  std::uint64_t received_step_bytes(const Tiles& tiles) const {
    const std::uint64_t writers = std::min(writers_, tiles.count);
    return sent_step_bytes(tiles) * shape_.ranks / std::max<std::uint64_t>(writers, 1);
  }

  // What is put goes to a window or an outbox; what arrives comes into an inbox, and from there to a window. All of
  // this memory is new at first.
  void put(std::uint64_t steps, std::uint64_t& used) {
    std::uint64_t sent = 0;  // in a step
    std::uint64_t arrives = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      sent += sent_step_bytes(fields_[f]);
      if (owned_[f] > 0) arrives += received_step_bytes(fields_[f]);
    }
    const std::uint64_t bytes = (local_step_bytes() + 2 * arrives) * steps;
    const std::uint64_t memory = 2 * window_bytes() + (sent + arrives) * window_steps_;
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
  const Rates& rates_;
  const std::optional<WindowMessages>& messages_;
  std::vector<std::uint64_t> owned_;  // tiles of each field
  std::uint64_t window_steps_ = 1;    // all ranks have the shortest that any of them needs
  std::uint64_t left_ = 0;            // of what is written, for the sync
  std::uint64_t windows_ = 0;
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

std::uint64_t most_request_bytes(const stores::StoreProfile& profile) {
  return is_local(profile) ? 512ULL << 10 : 8ULL << 20;
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

std::uint64_t direct_from_bytes(const stores::StoreProfile& profile) {
  storage::FileSystem of;
  of.type = profile.file_system;
  if (of.direct_gain() == storage::DirectGain::large_requests) return 0;
  return is_local(profile) ? storage::comfortable_cache_bytes() : UINT64_MAX;
}

bool aligns(const stores::StoreProfile& profile) {
  storage::FileSystem of;
  of.type = profile.file_system;
  return of.alignment() > 0;
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
  std::uint64_t windows = 0;
  std::vector<Requests> values;  // of a rank of each group
  for (const auto& [is_writer, more] : {std::pair{true, true}, std::pair{true, false}, std::pair{false, false}}) {
    SeriesRank rank(shape, count, fields, rates, of_window, is_writer, more);
    work.groups.push_back({0, rank.steps()});
    values.push_back(rank.values());
    windows = rank.windows();  // as many on every rank
  }
  if (of_window) {
    work.messages = Messages{static_cast<double>(of_window->count * windows),
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
    work.requests = requests_of_values(shape, fields, *of_window);
  } else {
    for (std::size_t group = 0; group < values.size(); ++group) {
      work.requests.add(values[group], static_cast<double>(work.groups[group].ranks));
    }
  }
  work.requests.add({static_cast<double>(windows), static_cast<double>(shape.steps * sizeof(double))});  // times
  const std::uint64_t durable = !shape.syncs ? 0 : shape.syncs_windows ? windows : 1;
  if (of_window) writes = of_window->owners;
  work.requests.add(requests_of_state(nodes, writes, shape.commit_groups, windows, durable));
  return work;
}

std::uint64_t pitch_of_chunks(const FieldSpec& field, const Shape& chunk, std::uint64_t align_bytes) {
  storage::ArrayEntry array;
  array.type = field.type;
  array.chunk = chunk;
  array.shape = field.per_step;
  array.shape.insert(array.shape.begin(), chunk[0]);
  return storage::pitch_of(array, align_bytes > 1 ? align_bytes : 0);
}

SeriesShape shape_on(const Surroundings& around) {
  SeriesShape shape;
  shape.ranks = around.ranks;
  shape.ranks_per_node = around.ranks_per_node;
  shape.most_request_bytes = around.most_request_bytes;
  shape.direct_from_bytes = around.direct_from_bytes;
  shape.page_cache = around.page_cache;
  shape.aligns = around.aligns;
  return shape;
}

void say_alignment(bool file_system_aligns, std::uint64_t asked, Workload& work) {
  if (file_system_aligns && asked == 0) {
    work.leaves_out.emplace_back("that chunks begin at pages, as on this file system: say --align 4KiB");
  }
}

double clock_seconds(double commit_seconds) { return std::max(commit_seconds, 0.0) / 2; }

void say_past_the_cache(const SeriesShape& shape, Workload& work) {
  std::uint64_t bytes = 0;
  for (const FieldSpec& field : shape.fields) {
    bytes += element_count(field.per_step) * size_of(field.type) * shape.steps;
  }
  if (bytes >= shape.direct_from_bytes) {
    work.leaves_out.emplace_back("the system calls of requests that go past the page cache: each may be several");
  }
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

std::pair<std::vector<std::pair<std::string, double>>, double> reads_of(const SeriesShape& shape) {
  std::vector<std::pair<std::string, double>> reads;
  double all = 0;
  for (const FieldSpec& field : shape.fields) {
    const auto layout =
        series::choose_layout(field, shape.place_axes, shape.steps, static_cast<int>(shape.ranks), shape.align_bytes);
    const auto design = nlohmann::ordered_json::parse(layout.rationale);
    for (const auto& [read, cost] : design.at("reads").items()) {
      const auto seconds = cost.at("seconds").get<double>();
      all += seconds * cost.at("weight").get<double>();
      if (reads.size() < 3) reads.emplace_back(read, seconds);
    }
  }
  return {reads, all};
}

}  // namespace weft::predict
