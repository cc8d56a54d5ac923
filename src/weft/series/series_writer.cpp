#include "weft/series/series_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "weft/series/commit_schedule.hpp"
#include "weft/series/durability.hpp"
#include "weft/series/file_plan.hpp"
#include "weft/series/fixed_array.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/hand_over.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/end_signals.hpp"
#include "weft/view/vtkhdf.hpp"
#include "weft/view/weft_view.hpp"

namespace weft {

namespace {

// Rank `owner`'s alone: a global field, seen from each rank.
partition::Ownership of_rank_zero(const Shape& per_step, int rank) {
  return rank == 0 ? partition::Ownership::all(per_step) : partition::Ownership::none(per_step);
}

// Rank 0 does `make` with the file's HDF5 side; every rank has the map afterwards.
storage::SeriesMap share_map(Communicator& comm, const std::function<storage::SeriesMap()>& make) {
  std::vector<std::byte> bytes;
  agree_on(comm, [&] {
    if (comm.rank() == 0) bytes = to_bytes(make());
  });
  comm.broadcast(bytes, 0);
  return storage::series_map_from_bytes(bytes);
}

}  // namespace

class SeriesWriter::Impl {
 public:
  using Observers = std::vector<std::shared_ptr<series::WindowObserver>>;

  Impl(std::shared_ptr<Communicator> comm, WriterOptions options, Observers observers, bool fixed_length)
      : comm_(std::move(comm)),
        options_(std::move(options)),
        observers_(std::move(observers)),
        fixed_length_(fixed_length),
        schedule_(options_.commit_seconds / 2, options_.commit_steps) {}

  ~Impl() { leave_without_close(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Nobody else changes the file from here on.
  void take_lock(const std::string& path) {
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) lock_ = storage::WriterLock::take(path, {options_.work, options_.take_over});
    });
    if (comm_->rank() != 0) lock_ = storage::WriterLock::join(path);
  }

  void create(const std::string& path, const SeriesSpec& spec) {
    std::vector<std::int64_t> offsets;
    std::vector<series::FixedArray> fixed;
    agree_on(*comm_, [&] {
      for (const FieldSpec& field : spec.fields) series::check_field(field);
    });
    if (spec.mesh) fixed = series::mesh_arrays(*comm_, *spec.mesh, offsets);
    for (const FieldSpec& field : spec.fields) add_subset(field, fixed);
    const std::vector<storage::Subset> subsets = series::subsets_of(*comm_, spec.fields);
    const BootId boot = common_boot();
    map_ = share_map(*comm_, [&] {
      std::vector<storage::FixedArrayPlan> arrays;
      arrays.reserve(fixed.size());
      for (const series::FixedArray& array : fixed) arrays.push_back(array.plan);
      for (const auto& observer : observers_) {
        const auto more = observer->arrays(spec);
        arrays.insert(arrays.end(), more.begin(), more.end());
      }
      storage::FilePlan plan = series::plan_file(spec, comm_->size(), arrays, subsets);
      plan.boot = boot;
      storage::SeriesMap map = storage::create_series_file(path, plan, view_at_create());
      storage::hand_over(*comm_, path);
      return map;
    });
    open_store();
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      series::write_fixed_array(*comm_, *store_, map_.fixed_arrays[i], fixed[i]);
    }
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0 && view::has_listed_subset(map_)) storage::renew_view(map_, map_.length, view_maker());
    });
    owned_.push_back(of_rank_zero({}, comm_->rank()));  // the time
    for (const FieldSpec& field : spec.fields) {
      owned_.push_back(field.support == Support::global ? of_rank_zero(field.per_step, comm_->rank()) : field.owned);
    }
  }

  void append(const std::string& path, const AppendSpec& spec) {
    map_ = share_map(*comm_, [&] {
      storage::undo_metadata_change(path);
      storage::SeriesMap map = storage::read_series_map(path);
      storage::drop_checksums(map);
      const auto ranks = static_cast<std::uint64_t>(comm_->size());
      if (map.commit.shape[0] < ranks) map = storage::grow_slots(map, ranks);
      // Other readers must see every step that may now be committed.
      if (map.length < map.capacity()) {
        map = storage::set_length(map, map.capacity(), view_maker());
      } else if (map.viewed != 0 && map.viewed != map.length) {  // `weft view` made it show what was committed then
        storage::renew_view(map, map.length, view_maker());
      }
      storage::hand_over(*comm_, path);
      return map;
    });
    open_store();
    agree_on(*comm_, [&] {
      const std::uint64_t committed = storage::readable_steps(*store_, map_);
      next_step_ = spec.from_step.value_or(committed);
      if (next_step_ > committed) {
        throw Error(ErrorKind::usage, path,
                    fmt::format("cannot go on from step {}: {} steps are committed", next_step_, committed),
                    "start from one of those, or from the end");
      }
    });
    owned_.push_back(of_rank_zero({}, comm_->rank()));
    agree_on(*comm_, [&] {
      for (std::size_t f = 1; f < map_.fields.size(); ++f) owned_.push_back(ownership_for(map_.fields[f], spec));
    });
  }

  void start(const series::StrategyFactory& make_strategy) {
    // Slots first, and everyone after it: from here on nothing above next_step_ is vouched for.
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) {
        storage::reset_slots(*store_, map_, static_cast<std::uint64_t>(comm_->size()), next_step_);
      }
    });
    put_.assign(map_.fields.size(), false);
    strategy_ = make_strategy(
        {*comm_, map_, owned_, options_, *store_, counters_, [this] { make_room(); }, epoch_, observers_});
    strategy_->begin(next_step_);
    begin_durability();
    if (options_.commit_on_signals) signals_.emplace();
    schedule_.committed();
  }

  void put(std::string_view name, DataType type, std::span<const std::byte> values) {
    if (broken_) throw *broken_;
    if (comm_->size() == 1) tell_failure();
    try {
      const std::size_t field = check_put(name, type, values);
      // Other ranks may put a global field too, so that a program needs no special case; rank 0's counts.
      if (owned_[field].local_elements() > 0) strategy_->put(field, values);
      put_[field] = true;
    } catch (const Error& error) {
      if (!failure_) failure_ = error;
      throw;
    }
  }

  void end_step(double time) {
    if (broken_) throw *broken_;
    if (closed_) throw Error(ErrorKind::usage, map_.path, "end_step() after close()");
    for (std::size_t f = 1; f < put_.size() && !failure_; ++f) {
      if (put_[f] || owned_[f].local_elements() == 0) continue;
      failure_ = Error(ErrorKind::usage, map_.path,
                       fmt::format("step {} ends without field {}", next_step_, map_.fields[f].name),
                       "put() every field before end_step()");
    }
    if (comm_->rank() == 0) strategy_->put(0, std::as_bytes(std::span(&time, 1)));
    put_.assign(put_.size(), false);
    ++next_step_;
    or_break([&] {
      strategy_->end_step(time, failure_);
      if (strategy_->gathered() == 0) schedule_.committed();
      commit_if_due();
    });
  }

  void flush() {
    if (broken_) throw *broken_;
    if (closed_) throw Error(ErrorKind::usage, map_.path, "flush() after close()");
    check_between_steps("flush()");
    or_break([&] { flush_durably(); });
  }

  void close() {
    if (broken_) throw *broken_;
    if (closed_) return;
    check_between_steps("close()");
    or_break([&] {
      strategy_->flush(failure_);
      strategy_.reset();
      for (const auto& observer : observers_) observer->finish(*comm_, map_, *store_, next_step_);
      agree_on(*comm_, [&] {
        durability_->sync_now(true);
        durability_.reset();
        store_->close();
      });
      agree_on(*comm_, [&] {
        if (comm_->rank() != 0 || next_step_ == 0) return;
        if (map_.length != next_step_) {
          storage::set_length(map_, next_step_, view_maker());
        } else if (!observers_.empty()) {
          storage::renew_view(map_, next_step_, view_maker());
        }
      });
    });
    closed_ = true;
    signals_.reset();
    lock_.reset();
    // Whoever returns from close() may go on with the file at once.
    comm_->max(0);
  }

  std::uint64_t next_step() const { return next_step_; }
  const storage::SeriesMap& map() const { return map_; }
  const series::WriteCounters& counters() const { return counters_; }

 private:
  void open_store() {
    agree_on(*comm_, [&] {
      // The counters live as long as this object, and so does the store.
      store_ = storage::open_posix(map_.path, storage::OpenMode::write,
                                   std::shared_ptr<storage::SyscallCounters>(&counters_.syscall, [](auto*) {}));
      if (options_.wrap_store) store_ = options_.wrap_store(std::move(store_));
    });
  }

  // While the file is created its mesh is not in it yet; fields that need to read it come into the view afterwards.
  storage::ViewMaker view_at_create() const {
    return [this](const storage::SeriesMap& map, std::uint64_t steps) {
      return with_observed(map, view::vtkhdf_objects(view::weft_view(map, steps)));
    };
  }

  storage::ViewMaker view_maker() const {
    return [this](const storage::SeriesMap& map, std::uint64_t steps) {
      const auto store = storage::open_posix(map.path, storage::OpenMode::read);
      return with_observed(map, view::vtkhdf_objects(view::weft_view(map, steps, view::reader_of(*store))));
    };
  }

  storage::ObjectPlan with_observed(const storage::SeriesMap& map, storage::ObjectPlan plan) const {
    for (const auto& observer : observers_) {
      const storage::ObjectPlan more = observer->objects(map);
      plan.insert(plan.end(), more.begin(), more.end());
    }
    return plan;
  }

  void check_between_steps(std::string_view call) {
    if (failure_ || std::find(put_.begin(), put_.end(), true) == put_.end()) return;
    failure_ = Error(ErrorKind::usage, map_.path, fmt::format("{} in the middle of step {}", call, next_step_),
                     "call end_step() after the last put()");
  }

  // Zeros where ranks run on several machines.
  BootId common_boot() const {
    BootId boot = boot_id();
    bool common = true;
    for (const std::uint64_t half : boot) common = comm_->min(half) == comm_->max(half) && common;
    return common ? boot : BootId{};
  }

  // What all ranks have thrown ends the writer: from then on it says the same to everything.
  template <typename Action>
  void or_break(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      if (error.is_agreed() || comm_->size() == 1) broken_ = error;
      throw;
    }
  }

  std::optional<Error> failure_behind() const {
    std::optional<Error> failure = strategy_ ? strategy_->failure() : std::nullopt;
    if (!failure && durability_) failure = durability_->failure();
    return failure;
  }

  void tell_failure() {
    if (const auto failure = failure_behind()) {
      broken_ = failure->agreed();
      throw *broken_;
    }
  }

  void begin_durability() {
    const auto rank = static_cast<std::uint64_t>(comm_->rank());
    const bool each = options_.sync == Sync::window;
    std::vector<std::uint64_t> ranks{rank};
    if (!each) {
      std::vector<std::uint64_t> client;
      agree_on(*comm_, [&] { client = series::client_of(map_.path); });
      ranks = series::ranks_of_client(*comm_, client);
    }
    if (options_.sync == Sync::none) ranks.clear();
    agree_on(*comm_, [&] {
      // A rank that brings nothing to the disk holds nobody back.
      const bool idle = ranks.empty() || (each && storage::read_slots(*store_, map_).at(rank) == storage::kIdleSlot);
      if (idle && !map_.durable.shape.empty()) storage::raise_durable(*store_, map_, rank, storage::kIdleSlot);
      durability_ = std::make_unique<series::Durability>(*store_, map_, std::move(ranks), epoch_,
                                                         each ? 0 : options_.commit_seconds / 2);
    });
  }

  void flush_durably() {
    strategy_->flush(failure_);
    agree_on(*comm_, [&] { durability_->sync_now(); });
    schedule_.committed();
  }

  void commit_if_due() {
    using Wish = series::CommitSchedule::Wish;
    std::optional<Error> failure = failure_ ? failure_ : failure_behind();
    const bool signalled = signals_ && signals_->pending() != 0;
    const Wish wish = schedule_.after_step(*comm_, failure     ? Wish::failure
                                                   : signalled ? Wish::commit_for_signal
                                                               : Wish::nothing);
    switch (wish) {
      case Wish::nothing: return;
      case Wish::failure: return agree(*comm_, failure);
      case Wish::commit: strategy_->commit(failure_); return schedule_.committed();
      case Wish::commit_for_signal: return answer_signal();
    }
  }

  // SIGUSR1 warns, SIGTERM ends: then the series is closed as if it were whole, so that others can read it and a new
  // run go on with it.
  void answer_signal() {
    flush_durably();
    const bool ends = comm_->max(signals_->pending() == SIGTERM ? 1 : 0) == 1;
    if (comm_->rank() == 0) {
      fmt::print(stderr, "weft: {}: {}: {} steps are in the file{}\n", map_.path, ends ? "SIGTERM" : "SIGUSR1",
                 next_step_, options_.sync == Sync::none ? "" : " and on the disk");
    }
    if (!ends) return signals_->answer();
    close();
    end_by_sigterm();
  }

  // Without close() nothing can be agreed on. Alone this is no matter; otherwise it is said what is lost.
  void leave_without_close() {
    if (closed_ || broken_ || !strategy_ || failure_) return;
    const std::uint64_t gathered = strategy_->gathered();
    if (gathered == 0) return;
    try {
      if (comm_->size() == 1) return flush_durably();
    } catch (const Error& error) {
      fmt::print(stderr, "weft: error: {}\n", error.what());
    }
    if (comm_->rank() != 0) return;
    fmt::print(stderr, "weft: {}: the writer ended without close(): steps {} to {} are not in the file\n", map_.path,
               next_step_ - gathered, next_step_ - 1);
  }

  void make_room() {
    map_ = share_map(*comm_, [&] { return storage::add_segment(map_, map_.capacity(), view_maker()); });
  }

  std::size_t check_put(std::string_view name, DataType type, std::span<const std::byte> values) const {
    const std::string where = fmt::format("{}: put(\"{}\")", map_.path, name);
    if (closed_) throw Error(ErrorKind::usage, where, "the series is closed", "append() goes on with it");
    const auto found = map_.find_field(std::string(name));
    if (!found || *found == 0) {
      std::string known;
      for (std::size_t f = 1; f < map_.fields.size(); ++f) known += (f > 1 ? ", " : "") + map_.fields[f].name;
      throw Error(ErrorKind::usage, where, "there is no such field", "the series has: " + known);
    }
    const storage::FieldMap& field = map_.fields[*found];
    if (field.type != type) {
      throw Error(ErrorKind::usage, where,
                  fmt::format("is given {} and holds {}", weft::name_of(type), weft::name_of(field.type)),
                  "put the type the field was declared with");
    }
    const std::uint64_t wanted = owned_[*found].local_elements();
    const std::uint64_t given = values.size() / size_of(type);
    const bool ignored = field.support == Support::global && comm_->rank() != 0;
    if (given != wanted && !ignored) {
      throw Error(ErrorKind::usage, where, fmt::format("is given {} values, this rank holds {}", given, wanted),
                  "put every value of the rank's ownership, ghosts included");
    }
    if (put_[*found]) {
      throw Error(ErrorKind::usage, where, fmt::format("was put in step {} already", next_step_), "call end_step()");
    }
    if (fixed_length_ && next_step_ >= map_.capacity()) {
      throw Error(ErrorKind::usage, where, fmt::format("the series has {} steps and they are all written", next_step_),
                  "declare more steps, or an unknown number");
    }
    return *found;
  }

  partition::Ownership ownership_for(const storage::FieldMap& field, const AppendSpec& spec) const {
    if (field.support == Support::global) return of_rank_zero(field.per_step, comm_->rank());
    for (const auto& [name, owned] : spec.owned) {
      if (name != field.name) continue;
      if (owned.shape() != field.per_step) {
        throw Error(ErrorKind::usage, map_.path,
                    fmt::format("field {} is {} a step, the ownership given {}", name, to_string(field.per_step),
                                to_string(owned.shape())),
                    "go on with the mesh the series began with");
      }
      return owned;
    }
    throw Error(ErrorKind::usage, map_.path, fmt::format("no ownership is given for field {}", field.name),
                "name every field that is not global");
  }

  static void add_subset(const FieldSpec& field, std::vector<series::FixedArray>& fixed) {
    if (!field.subset) return;
    // One number for each row of the field: the ownership of {k, 2} becomes that of {k}.
    const std::uint64_t row = series::row_elements(field.per_step);
    std::vector<std::uint64_t> ids;
    std::vector<std::uint8_t> ghost(field.owned.local_elements() / row, 1);
    ids.assign(ghost.size(), 0);
    for (const partition::Run& run : field.owned.runs()) {
      for (std::uint64_t i = 0; i < run.length / row; ++i) {
        ids[run.local / row + i] = run.global / row + i;
        ghost[run.local / row + i] = 0;
      }
    }
    const Shape rows{field.per_step.at(0)};
    fixed.push_back({{"/weft/subsets/" + field.name, DataType::int64, rows, {}},
                     partition::Ownership::nodes(rows, ids, ghost),
                     std::as_bytes(std::span(*field.subset))});
  }

  std::shared_ptr<Communicator> comm_;
  std::optional<storage::WriterLock> lock_;  // given back last of all
  WriterOptions options_;
  Observers observers_;
  bool fixed_length_;
  storage::SeriesMap map_;
  std::vector<partition::Ownership> owned_;  // as map_.fields
  series::WriteCounters counters_;
  std::unique_ptr<storage::ByteStore> store_;
  std::uint64_t epoch_ = 1;
  series::CommitSchedule schedule_;
  std::optional<EndSignals> signals_;
  std::unique_ptr<series::Durability> durability_;
  std::unique_ptr<series::WriteStrategy> strategy_;
  std::vector<bool> put_;  // in the present step
  std::uint64_t next_step_ = 0;
  std::optional<Error> failure_;  // this rank's, told at the next collective point
  std::optional<Error> broken_;   // agreed on: the writer has ended
  bool closed_ = false;
};

SeriesWriter::SeriesWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SeriesWriter::SeriesWriter(SeriesWriter&&) noexcept = default;
SeriesWriter& SeriesWriter::operator=(SeriesWriter&&) noexcept = default;
SeriesWriter::~SeriesWriter() = default;

SeriesWriter SeriesWriter::create(std::shared_ptr<Communicator> comm, const std::string& path, const SeriesSpec& spec,
                                  const series::StrategyFactory& strategy) {
  auto impl = std::make_unique<Impl>(std::move(comm), spec.options, spec.observers, spec.steps.has_value());
  impl->take_lock(path);
  impl->create(path, spec);
  impl->start(strategy);
  return SeriesWriter(std::move(impl));
}

SeriesWriter SeriesWriter::append(std::shared_ptr<Communicator> comm, const std::string& path, const AppendSpec& spec,
                                  const series::StrategyFactory& strategy) {
  auto impl = std::make_unique<Impl>(std::move(comm), spec.options, spec.observers, false);
  impl->take_lock(path);
  impl->append(path, spec);
  impl->start(strategy);
  return SeriesWriter(std::move(impl));
}

void SeriesWriter::put_bytes(std::string_view field, DataType type, std::span<const std::byte> values) {
  impl_->put(field, type, values);
}
void SeriesWriter::end_step(double time) { impl_->end_step(time); }
void SeriesWriter::flush() { impl_->flush(); }
void SeriesWriter::close() { impl_->close(); }
std::uint64_t SeriesWriter::next_step() const { return impl_->next_step(); }
const storage::SeriesMap& SeriesWriter::map() const { return impl_->map(); }
const series::WriteCounters& SeriesWriter::counters() const { return impl_->counters(); }

partition::Ownership own_cells(Communicator& comm, std::uint64_t local_cells, const Shape& components) {
  Shape shape{comm.sum(local_cells)};
  shape.insert(shape.end(), components.begin(), components.end());
  Box box = whole(shape);
  box.start[0] = comm.sum_before(local_cells);
  box.count[0] = local_cells;
  return partition::Ownership::box(shape, box);
}

}  // namespace weft
