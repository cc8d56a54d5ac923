#include "weft/series/owner_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <thread>

#include "weft/exchange/plan_builder.hpp"
#include "weft/exchange/window.hpp"
#include "weft/series/filtered_places.hpp"
#include "weft/series/window_length.hpp"
#include "weft/storage/flusher.hpp"
#include "weft/storage/group_commit.hpp"
#include "weft/support/amount.hpp"

namespace weft::series {

namespace {

// One field: its plan, and the two windows that take turns. Its address must not change: windows point at the shape.
struct FieldWindows {
  std::uint64_t all_tiles = 0;
  bool filtered = false;
  exchange::WindowShape shape;
  std::unique_ptr<exchange::Mail> mail;
  std::vector<exchange::TileMemory> tiles;  // two
  std::vector<WindowObserver*> observers;
};

class OwnerStrategy final : public WriteStrategy {
 public:
  explicit OwnerStrategy(const StrategyContext& context) : context_(context) {
    plan_fields();
    commit_ =
        std::make_unique<storage::GroupCommit>(context.comm, context.nodes, owns_tiles_, context.options.commit_groups);
    start_observers();
    choose_window();
    agree_on(context.comm, [&] {  // a rank may have no memory left
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        FieldWindows* field = fields_[f].get();
        field->shape.steps = window_steps_;
        field->shape.may_shuffle = may_shuffle_on_the_way(f);
        field->mail = std::make_unique<exchange::Mail>(field->shape);
        for (int i = 0; i < 2; ++i) field->tiles.emplace_back(field->shape);
      }
      // The windows' pages are had while the simulation computes its first steps.
      flusher_ = std::make_unique<storage::Flusher>(flush_target(), [this] {
        for (const auto& field : fields_) {
          for (const exchange::TileMemory& tiles : field->tiles) tiles.populate();
        }
      });
    });
  }

  const storage::CommitGroups& commit_groups() const override { return commit_->groups(); }

  void begin(std::uint64_t step) override {
    first_ = step;
    times_[turn_].clear();
    gathered_ = 0;
    // Shuffling costs put() time and saves the flusher more of it: done where the flusher is what is waited for.
    for (const auto& field : fields_) field->tiles[turn_].begin(flush_is_late_);
    const storage::StepRoom room = context_.catalog.room_around(step);
    // A segment may be shorter than a chunk; its chunks are then cut to it.
    end_ = room.first + window_end(step - room.first, window_steps_, std::min(chunk_steps_, room.steps), room.steps);
  }

  void put(std::size_t field, std::span<const std::byte> local) override {
    FieldWindows& windows = *fields_[field];
    exchange::Mail::Visit show;
    if (!windows.observers.empty()) {
      show = [&](std::size_t slot, std::uint64_t offset, std::span<const std::byte> values) {
        for (WindowObserver* observer : windows.observers) observer->see_part(slot, gathered_, offset, values);
      };
    }
    const storage::Flusher::Pause pause(*flusher_);
    windows.mail->put(gathered_, local, windows.tiles[turn_], show);
  }

  void end_step(double time, const std::optional<Error>& failure) override {
    times_[turn_].push_back(time);
    ++gathered_;
    if (first_ + gathered_ == end_) flush_window(failure);
  }

  std::uint64_t gathered() const override { return gathered_; }

  void commit(const std::optional<Error>& failure) override {
    if (gathered_ > 0) flush_window(failure);
    if (filters_) write_waiting();
  }

  void flush(const std::optional<Error>& failure) override {
    if (gathered_ > 0) flush_window(failure);
    if (filters_) write_waiting();
    std::optional<Error> written = flusher_->wait();
    if (!written) written = failed_;
    agree(context_.comm, failure ? failure : written);
    if (commit_->groups().span_nodes()) agree(context_.comm, settle());
  }

  void finish(const std::optional<Error>& failure) override {
    flush(failure);
    if (places_) places_->end_file();
  }

  std::optional<Error> failure() const override { return failed_ ? failed_ : flusher_->failure(); }

 private:
  void plan_fields() {
    const partition::Writers writers = choose_writers();
    const auto& catalog = context_.catalog;
    for (std::size_t f = 0; f < catalog.fields.size(); ++f) {
      const storage::FieldEntry& field = catalog.fields[f];
      const Shape& chunk = catalog.segments[0].fields[f].chunk;
      const partition::TileGrid grid(field.per_step, Shape(chunk.begin() + 1, chunk.end()));
      auto windows = std::make_unique<FieldWindows>();
      windows->all_tiles = grid.tiles();
      windows->shape.plan = plan_of_another(f);
      if (!windows->shape.plan) {
        windows->shape.plan = std::make_shared<const partition::MovePlan>(exchange::build_plan(
            context_.comm, grid, context_.owned[f], writers, partition::OwnerRule::majority, field.name));
      }
      windows->shape.element_bytes = size_of(field.type);
      windows->shape.tile_bytes = grid.tile_elements() * size_of(field.type);
      owns_tiles_ = owns_tiles_ || !windows->shape.plan->tiles.empty();
      windows->filtered = !field.filter.empty();
      filters_ = filters_ || windows->filtered;
      fields_.push_back(std::move(windows));
    }
  }

  // That of a field before it which is dealt to the ranks and cut into chunks alike: a plan of scattered nodes is
  // large. Collective where two fields are cut alike.
  std::shared_ptr<const partition::MovePlan> plan_of_another(std::size_t field) {
    const auto& catalog = context_.catalog;
    const auto tile = [&](std::size_t f) { return std::span(catalog.segments[0].fields[f].chunk).subspan(1); };
    for (std::size_t other = 1; other < field; ++other) {
      if (catalog.fields[other].per_step != catalog.fields[field].per_step) continue;
      if (!std::ranges::equal(tile(other), tile(field))) continue;
      const bool alike = context_.owned[other].runs() == context_.owned[field].runs();
      if (context_.comm.min(alike ? 1 : 0) == 1) return fields_[other]->shape.plan;
    }
    return nullptr;
  }

  // Of scattered nodes it is some 30 bytes a node.
  std::uint64_t plan_bytes() const {
    std::set<const partition::MovePlan*> plans;
    std::uint64_t bytes = 0;
    for (const auto& field : fields_) {
      if (plans.insert(field->shape.plan.get()).second) bytes += field->shape.plan->memory_bytes();
    }
    return bytes;
  }

  partition::Writers choose_writers() const {
    const auto& fields = context_.catalog.fields;
    const bool filters = std::ranges::any_of(fields, [](const auto& field) { return !field.filter.empty(); });
    return {context_.nodes, context_.options.writers.value_or(partition::usual_writers(context_.nodes, filters))};
  }

  // Not where somebody looks at the values in a window, or rounds them first. Nor of scattered nodes: each would go to
  // as many places as its number has bytes.
  bool may_shuffle_on_the_way(std::size_t f) const {
    constexpr std::uint64_t kWorthwhile = 64;  // elements that lie side by side, on average
    const storage::FieldEntry& entry = context_.catalog.fields[f];
    const FieldWindows& field = *fields_[f];
    if (!field.filtered || entry.kept_bits > 0 || !field.observers.empty()) return false;
    if (!storage::shuffles_first(storage::parse_filters(entry.filter, size_of(entry.type)))) return false;
    const partition::MovePlan& plan = *field.shape.plan;
    std::uint64_t elements = plan.received_elements;
    std::uint64_t runs = plan.copies.size();
    for (const partition::Copy& copy : plan.copies) elements += copy.length;
    for (const partition::Inbound& inbound : plan.inbound) runs += inbound.places.size();
    return elements >= runs * kWorthwhile;
  }

  // They may have half of the budget, and the windows the rest.
  void start_observers() {
    agree_on(context_.comm, [&] {
      for (const auto& observer : context_.observers) {
        const std::size_t field = observer->field(context_.catalog);
        fields_[field]->observers.push_back(observer.get());
        observed_bytes_ += observer->start({context_.catalog, field, fields_[field]->shape.plan->tiles},
                                           context_.options.budget_bytes / 2 / context_.observers.size());
      }
    });
  }

  void choose_window() {
    // The field with the most bytes a step has the say; in doubt the one named first.
    std::uint64_t most = 0;
    for (std::size_t f = 0; f < context_.catalog.fields.size(); ++f) {
      const storage::FieldEntry& field = context_.catalog.fields[f];
      const std::uint64_t bytes = element_count(field.per_step) * size_of(field.type);
      if (bytes <= most && f > 1) continue;  // fields[0] is the time
      most = bytes;
      chunk_steps_ = context_.catalog.segments[0].fields[f].chunk[0];
    }
    // Filtered chunks are whole in a window, and all have as many steps (file_plan.cpp).
    for (std::size_t f = 1; f < fields_.size() && filters_; ++f) {
      if (fields_[f]->filtered) chunk_steps_ = context_.catalog.segments[0].fields[f].chunk[0];
    }
    WindowNeeds needs;
    for (const auto& field : fields_) {
      exchange::WindowShape one_step = field->shape;
      one_step.steps = 1;
      needs.tile_bytes_per_step += one_step.tile_memory();
      if (field->filtered) needs.filtered_bytes_per_step += one_step.tile_memory();
      needs.mail_bytes_per_step += one_step.outbox_memory() + one_step.inbox_memory();
    }
    const std::uint64_t budget = context_.options.budget_bytes;
    const std::uint64_t used = context_.options.budget_used + plan_bytes() + observed_bytes_;
    const std::uint64_t fitting =
        context_.comm.min(steps_that_fit(needs, budget - std::min(budget, used), chunk_steps_));
    if (filters_) {
      const std::uint64_t most_bytes = context_.comm.sum(needs.filtered_bytes_per_step * chunk_steps_);
      places_.emplace(context_.comm, context_.catalog, most_bytes, context_.options.sync != Sync::none);
    }
    if (filters_ && fitting < chunk_steps_) {
      const std::uint64_t least = context_.comm.max(least_budget(needs) * chunk_steps_ + used);
      throw Error(ErrorKind::usage, context_.catalog.path,
                  fmt::format("a budget of {} a rank does not hold the {} steps of filtered chunks three times",
                              format_bytes(budget), chunk_steps_),
                  fmt::format("give at least --budget {}", least))
          .agreed();
    }
    if (fitting == 0) {
      const std::uint64_t windows = least_budget(needs) * (context_.observers.empty() ? 1 : 2);
      const std::uint64_t least = context_.comm.max(windows + context_.options.budget_used + plan_bytes());
      throw Error(ErrorKind::usage, context_.catalog.path,
                  fmt::format("a budget of {} a rank does not hold one step twice", format_bytes(budget)),
                  fmt::format("give at least --budget {}", least))
          .agreed();
    }
    window_steps_ = window_steps(fitting, chunk_steps_);
  }

  // To those who watch; what goes wrong there is this rank's alone until the ranks agree.
  std::optional<Error> show_window() {
    try {
      for (const auto& field : fields_) {
        for (WindowObserver* observer : field->observers) {
          observer->see(
              {first_, times_[turn_], times_[1 - turn_], field->tiles[turn_], field->tiles[1 - turn_], context_.store});
        }
      }
      return std::nullopt;
    } catch (const Error& error) {
      return error;
    } catch (const std::exception& error) {
      return Error(ErrorKind::system, context_.catalog.path, error.what());
    }
  }

  // Groups of several nodes hear how far their ranks are. Collective; nothing is under way.
  std::optional<Error> settle() {
    try {
      const storage::GroupCommit::Target target{context_.store, context_.catalog,
                                                context_.options.sync == Sync::window};
      if (commit_->settle(context_.comm, target)) ++context_.counters.app_slot_writes;
      return std::nullopt;
    } catch (const Error& error) {
      return error;
    }
  }

  storage::FlushTarget flush_target() {
    const DirectWrites direct = context_.options.direct;
    // A store around the file's wants to see every write.
    const bool is_plain = !context_.options.wrap_store;
    std::uint64_t step_bytes = 0;
    for (const storage::FieldEntry& field : context_.catalog.fields) {
      step_bytes += element_count(field.per_step) * size_of(field.type);
    }
    return {.store = context_.store,
            .catalog = context_.catalog,
            .counters = context_.counters,
            .commit = *commit_,
            .ranks = context_.comm.size(),
            .epoch = context_.epoch,
            .lies_at = context_.lies_at,
            .syncs_windows = context_.options.sync == Sync::window,
            .starts_writeback = context_.options.sync != Sync::none,
            .wants_direct = direct == DirectWrites::always,
            .may_go_directly = direct == DirectWrites::automatic && is_plain,
            .room_bytes = step_bytes * context_.catalog.capacity(),
            .threads = std::max(1U, std::thread::hardware_concurrency() / static_cast<unsigned>(context_.comm.size()))};
  }

  // The window is full: mail is delivered, the window before it is waited for, and this one goes to the flusher.
  void flush_window(const std::optional<Error>& failure) {
    agree(context_.comm, failure ? failure : failed_);
    ++context_.counters.windows;
    if (first_ >= context_.catalog.capacity()) {
      if (filters_) write_waiting();
      const std::optional<Error> written = flusher_->wait();
      agree(context_.comm, written);
      if (places_) places_->end_file();
      context_.make_room();
    }
    const auto segment = std::find_if(context_.catalog.segments.rbegin(), context_.catalog.segments.rend(),
                                      [&](const storage::SegmentEntry& s) { return s.first_step <= first_; });
    deliver_mail();
    storage::FlushJob job;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      FieldWindows& field = *fields_[f];
      const exchange::TileMemory& tiles = field.tiles[turn_];
      const std::uint64_t from_step = first_ - segment->first_step;
      if (field.filtered) {
        add_chunks(f, from_step, tiles, job.chunks);
        continue;
      }
      const auto room =
          storage::plan_room(segment->fields[f], from_step, gathered_, field.shape.plan->tiles, field.all_tiles);
      job.room.insert(job.room.end(), room.begin(), room.end());
      storage::plan_writes(
          segment->fields[f], from_step, gathered_, field.shape.plan->tiles, field.all_tiles,
          [&](std::uint64_t slot, std::uint64_t from, std::uint64_t steps) -> storage::Bytes {
            return tiles.steps_of(slot, from, steps);
          },
          job.requests);
    }
    const std::optional<Error> observed = show_window();
    // Filtered chunks are written by the next job: until then, the windows before count.
    job.committed = filters_ ? first_ : first_ + gathered_;
    job.raise_slot = owns_tiles_;
    flush_is_late_ = !flusher_->is_idle();
    failed_ = flusher_->wait();
    const std::optional<Error> settled = settle();
    if (!failed_)
      failed_ = settled ? settled : observed;  // told to the others when the next window is due, or at the end
    submit(std::move(job));
    turn_ = 1 - turn_;
    begin(first_ + gathered_);
  }

  // Of all fields together: one message to each rank that owns something of what this one has. Collective among those.
  void deliver_mail() {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (const auto& field : fields_) field->mail->address(gathered_, outgoing, incoming);
    if (outgoing.empty() && incoming.empty()) return;
    std::set<int> peers;
    const auto node = [&](int rank) { return context_.nodes[static_cast<std::size_t>(rank)]; };
    for (const Outgoing& message : outgoing) {
      peers.insert(message.peer);
      context_.counters.mpi_bytes += message.bytes.size();
      if (node(message.peer) == node(context_.comm.rank())) continue;
      context_.counters.mpi_bytes_between_nodes += message.bytes.size();
    }
    context_.counters.mpi_messages += peers.size();
    context_.comm.exchange(outgoing, incoming);
    const storage::Flusher::Pause pause(*flusher_);
    for (const auto& field : fields_) field->mail->open(gathered_, field->tiles[turn_]);
  }

  // The window's steps of this rank's chunks of a filtered field: of one chunk a tile, as no window reaches further.
  void add_chunks(std::size_t f, std::uint64_t from_step, const exchange::TileMemory& tiles,
                  std::vector<storage::ChunkSteps>& chunks) const {
    const FieldWindows& field = *fields_[f];
    const std::uint64_t chunk_steps = context_.catalog.segments[0].fields[f].chunk[0];
    const std::uint64_t first = from_step / chunk_steps * field.all_tiles;
    for (std::size_t slot = 0; slot < field.shape.plan->tiles.size(); ++slot) {
      const std::uint64_t chunk = first + field.shape.plan->tiles[slot];
      const storage::Bytes memory = tiles.shuffles() ? tiles.tile(slot) : tiles.steps_of(slot, 0, gathered_);
      chunks.push_back({f, chunk, from_step % chunk_steps, memory, tiles.shuffles() ? gathered_ : 0});
    }
  }

  // Its chunks are filtered while the ranks agree on the place of those before. Collective with filters.
  void submit(storage::FlushJob job) {
    const std::uint64_t waiting = flusher_->waiting_bytes();
    job.waits_for_place = filters_;
    flusher_->submit(std::move(job));
    if (!filters_) return;
    try {
      flusher_->place(places_->next(waiting));
    } catch (...) {
      flusher_->give_up();
      throw;
    }
  }

  // Brings what is filtered into the file. Collective.
  void write_waiting() {
    const std::optional<Error> filtered = flusher_->wait();
    if (context_.comm.max(flusher_->waiting_bytes()) == 0) return;
    agree(context_.comm, filtered);
    storage::FlushJob job;
    job.committed = first_;
    job.raise_slot = owns_tiles_;
    submit(std::move(job));
    const std::optional<Error> written = flusher_->wait();
    if (!failed_) failed_ = written;  // what an observer threw is told, too
  }

  StrategyContext context_;
  std::vector<std::unique_ptr<FieldWindows>> fields_;
  bool filters_ = false;  // some field has
  std::optional<FilteredPlaces> places_;
  std::unique_ptr<storage::GroupCommit> commit_;
  std::unique_ptr<storage::Flusher> flusher_;
  bool owns_tiles_ = false;
  std::uint64_t observed_bytes_ = 0;  // held by the observers
  std::uint64_t chunk_steps_ = 1;
  std::uint64_t window_steps_ = 1;
  std::size_t turn_ = 0;                      // which of the two windows is being filled
  std::array<std::vector<double>, 2> times_;  // of their steps
  std::uint64_t first_ = 0;                   // the window's first step
  std::uint64_t gathered_ = 0;
  std::uint64_t end_ = 0;
  bool flush_is_late_ = true;  // the window before was still under way when the last one was full
  std::optional<Error> failed_;
};

}  // namespace

std::unique_ptr<WriteStrategy> make_owner_strategy(const StrategyContext& context) {
  return std::make_unique<OwnerStrategy>(context);
}

}  // namespace weft::series
