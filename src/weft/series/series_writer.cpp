#include "weft/series/series_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/series/file_plan.hpp"
#include "weft/series/fixed_array.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/hand_over.hpp"
#include "weft/storage/metadata_change.hpp"
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
        fixed_length_(fixed_length) {}

  void create(const std::string& path, const SeriesSpec& spec) {
    std::vector<std::int64_t> offsets;
    std::vector<series::FixedArray> fixed;
    agree_on(*comm_, [&] {
      for (const FieldSpec& field : spec.fields) series::check_field(field);
    });
    if (spec.mesh) fixed = series::mesh_arrays(*comm_, *spec.mesh, offsets);
    for (const FieldSpec& field : spec.fields) add_subset(field, fixed);
    const std::vector<storage::Subset> subsets = series::subsets_of(*comm_, spec.fields);
    map_ = share_map(*comm_, [&] {
      std::vector<storage::FixedArrayPlan> arrays;
      arrays.reserve(fixed.size());
      for (const series::FixedArray& array : fixed) arrays.push_back(array.plan);
      for (const auto& observer : observers_) {
        const auto more = observer->arrays(spec);
        arrays.insert(arrays.end(), more.begin(), more.end());
      }
      storage::SeriesMap map =
          storage::create_series_file(path, series::plan_file(spec, comm_->size(), arrays, subsets), view_at_create());
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
      storage::check_writable(map);
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
      const std::uint64_t committed = storage::committed_steps(storage::read_slots(*store_, map_));
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
    strategy_ =
        make_strategy({*comm_, map_, owned_, options_, *store_, counters_, [this] { make_room(); }, observers_});
    strategy_->begin(next_step_);
  }

  void put(std::string_view name, DataType type, std::span<const std::byte> values) {
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
    strategy_->end_step(time, failure_);
  }

  void flush() {
    if (closed_) throw Error(ErrorKind::usage, map_.path, "flush() after close()");
    check_between_steps("flush()");
    strategy_->flush(failure_);
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    check_between_steps("close()");
    strategy_->flush(failure_);
    strategy_.reset();
    for (const auto& observer : observers_) observer->finish(*comm_, map_, *store_, next_step_);
    agree_on(*comm_, [&] {
      if (options_.sync) store_->sync();
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
  WriterOptions options_;
  Observers observers_;
  bool fixed_length_;
  storage::SeriesMap map_;
  std::vector<partition::Ownership> owned_;  // as map_.fields
  series::WriteCounters counters_;
  std::unique_ptr<storage::ByteStore> store_;
  std::unique_ptr<series::WriteStrategy> strategy_;
  std::vector<bool> put_;  // in the present step
  std::uint64_t next_step_ = 0;
  std::optional<Error> failure_;  // this rank's, told at the next collective point
  bool closed_ = false;
};

SeriesWriter::SeriesWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SeriesWriter::SeriesWriter(SeriesWriter&&) noexcept = default;
SeriesWriter& SeriesWriter::operator=(SeriesWriter&&) noexcept = default;
SeriesWriter::~SeriesWriter() = default;

SeriesWriter SeriesWriter::create(std::shared_ptr<Communicator> comm, const std::string& path, const SeriesSpec& spec,
                                  const series::StrategyFactory& strategy) {
  auto impl = std::make_unique<Impl>(std::move(comm), spec.options, spec.observers, spec.steps.has_value());
  impl->create(path, spec);
  impl->start(strategy);
  return SeriesWriter(std::move(impl));
}

SeriesWriter SeriesWriter::append(std::shared_ptr<Communicator> comm, const std::string& path, const AppendSpec& spec,
                                  const series::StrategyFactory& strategy) {
  auto impl = std::make_unique<Impl>(std::move(comm), spec.options, spec.observers, false);
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
