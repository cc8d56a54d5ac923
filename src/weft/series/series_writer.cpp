#include "weft/series/series_writer.hpp"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <utility>

#include "weft/series/commits.hpp"
#include "weft/series/file_plan.hpp"
#include "weft/series/fixed_array.hpp"
#include "weft/series/going_on.hpp"
#include "weft/series/new_writer.hpp"
#include "weft/series/rising_times.hpp"
#include "weft/series/spec_check.hpp"
#include "weft/series/subset_mesh.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/hand_over.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/storage/step_times.hpp"
#include "weft/storage/take_file.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/view/map_view.hpp"
#include "weft/view/series_view.hpp"
#include "weft/view/vtkhdf.hpp"

namespace weft {

namespace {

// Rank 0 does `make` with the file's HDF5 side; every rank has the catalog afterwards.
storage::SeriesCatalog share_catalog(Communicator& comm, const std::function<storage::SeriesCatalog()>& make) {
  std::vector<std::byte> bytes;
  agree_on(comm, [&] {
    if (comm.rank() == 0) bytes = to_bytes(make());
  });
  comm.broadcast(bytes, 0);
  return storage::catalog_from_bytes(bytes);
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

  ~Impl() { leave_without_close(); }
  bool of_this_process() const { return process_ == ::getpid(); }
  pid_t process() const { return process_; }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void create(const std::string& path, const SeriesSpec& spec, const series::StrategyFactory& make_strategy,
              const std::function<void(const std::string& part)>& prepare) {
    std::vector<series::FixedArray> fixed;
    nodes_ = comm_->nodes();
    agree_on(*comm_, [&] { series::check_spec(path, spec); });
    series::check_same_on_all_ranks(*comm_, path, spec);
    const std::vector<storage::Subset> subsets = series::subsets_of(*comm_, spec.fields);
    std::list<series::SubsetMesh> parts;  // what the arrays refer to until they are written
    if (spec.mesh) fixed = series::mesh_arrays(*comm_, *spec.mesh, "/mesh");
    for (std::size_t f = 0; f < spec.fields.size(); ++f) {
      const FieldSpec& field = spec.fields[f];
      if (subsets[f] == storage::Subset::all) continue;
      fixed.push_back(series::subset_array(field));
      if (!spec.mesh || !view::needs_own_mesh(field.support, subsets[f], field.type)) continue;
      parts.push_back(series::subset_mesh(*comm_, field, *spec.mesh));
      const auto arrays = series::mesh_arrays(*comm_, parts.back().spec, view::folder_of_mesh(field.name));
      fixed.insert(fixed.end(), arrays.begin(), arrays.end());
    }
    const series::FilteredWindow window = series::filtered_window(*comm_, spec);
    open_mode_ = storage::shared_mode(*comm_, path);
    take_lock([&] { return storage::WriterLock::take(path, {options_.work, options_.take_over}); }, path);
    const std::string part = storage::part_path(path);
    catalog_ = share_catalog(*comm_, [&] { return make_part(path, spec, fixed, subsets, window, prepare); });
    open_store(part);
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      series::write_fixed_array(*comm_, *store_, catalog_.fixed_arrays[i], fixed[i]);
    }
    owned_.push_back(series::of_rank_zero({}, comm_->rank()));  // the time
    for (const FieldSpec& field : spec.fields) {
      const bool global = field.support == Support::global;
      owned_.push_back(global ? series::of_rank_zero(field.per_step, comm_->rank()) : field.owned);
    }
    build(make_strategy, part);
    const storage::NewWriter writer = as_new_writer();
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) storage::write_new_writer(*store_, catalog_, writer);
    });
    agree_on(*comm_, [&] {
      if (commits_->syncs()) store_->sync();  // every rank's part of the mesh
    });
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) new_file_->finish(options_.sync != Sync::none);
    });
    strategy_->begin(next_step_);
    agree_on(*comm_, [&] { commits_->begin(*store_, catalog_, strategy_->commit_groups(), epoch_); });
  }

  void append(const std::string& path, const AppendSpec& spec, const series::StrategyFactory& make_strategy) {
    nodes_ = comm_->nodes();
    series::check_same_on_all_ranks(*comm_, path, spec.options);
    open_mode_ = storage::shared_mode(*comm_, path);
    storage::find_one_file(*comm_, path);
    take_lock([&] { return storage::take_file(path, {options_.work, options_.take_over}); }, path);
    catalog_ = share_catalog(*comm_, [&] { return storage::read_catalog(path); });
    open_store(path);
    std::uint64_t committed = 0;
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) committed = storage::readable_steps(*store_, catalog_, storage::LockIs::mine);
    });
    committed = comm_->max(committed);
    agree_on(*comm_, [&] {
      next_step_ = series::step_to_go_on_with(catalog_, committed, spec);
      if (next_step_ > 0 && comm_->rank() == 0) {
        times_.begin_after(storage::step_times(*store_, catalog_, next_step_ - 1, 1).at(0));
      }
      owned_ = series::ownerships_for(catalog_, spec, comm_->rank());
      epoch_ = storage::read_writer_state(*store_, catalog_).epoch + 1;  // which continue_series() begins
    });
    build(make_strategy, path);
    // All that can be refused has been: now the file is changed, at once, and nothing above next_step_ is vouched for.
    const storage::NewWriter writer = as_new_writer();
    catalog_ = share_catalog(*comm_, [&] {
      storage::SeriesCatalog catalog = storage::continue_series(catalog_, next_step_, writer, view_maker());
      storage::hand_over(*comm_, path);
      return catalog;
    });
    strategy_->begin(next_step_);
    agree_on(*comm_, [&] { commits_->begin(*store_, catalog_, strategy_->commit_groups(), epoch_); });
  }

  // call: "put" or "field", for the line of an error.
  std::size_t number_of(std::string_view name, std::string_view call) const {
    const auto found = catalog_.find_field(std::string(name));
    if (found && *found > 0) return *found;
    std::string known;
    for (std::size_t f = 1; f < catalog_.fields.size(); ++f) known += (f > 1 ? ", " : "") + catalog_.fields[f].name;
    throw Error(ErrorKind::usage, fmt::format("{}: {}(\"{}\")", catalog_.path, call, name), "there is no such field",
                "the series has: " + known);
  }

  void put(const FieldKey& key, DataType type, std::span<const std::byte> values) {
    if (broken_) throw *broken_;
    if (alone()) tell_failure();
    std::size_t field = 0;
    try {
      field = check_put(key, type, values);
    } catch (const Error& error) {
      if (!refused_) refused_ = error;
      throw;
    }
    try {
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
    if (closed_) throw Error(ErrorKind::usage, catalog_.path, "end_step() after close()");
    std::optional<Error> wrong = missing_field();
    if (!wrong) wrong = no_step_left(catalog_.path);  // of a series or rank without fields, which nothing was put for
    if (!wrong) refused_.reset();                     // what was refused has been put right, or was not of the series
    if (comm_->rank() == 0 && !wrong) wrong = times_.take(catalog_.path, next_step_, time);
    if (wrong && alone()) throw wrong->agreed();  // the step goes on as if the call had not been made
    if (wrong && !failure_) failure_ = wrong;
    if (comm_->rank() == 0) strategy_->put(0, std::as_bytes(std::span(&time, 1)));
    put_.assign(put_.size(), false);
    ++next_step_;
    bool ends = false;
    or_break([&] {
      strategy_->end_step(time, failure_);
      ends = commits_->after_step(*strategy_, failure_ ? failure_ : failure_behind(), next_step_);
    });
    if (!ends) return;
    // The series ends as if it were whole, so that others can read it and a new run go on with it.
    close();
    end_by_sigterm();
  }

  void flush() {
    if (broken_) throw *broken_;
    if (closed_) throw Error(ErrorKind::usage, catalog_.path, "flush() after close()");
    const std::optional<Error> wrong = middle_of_step("flush()");
    if (wrong && alone()) throw wrong->agreed();
    if (wrong && !failure_) failure_ = wrong;
    or_break([&] { commits_->flush(*strategy_, failure_); });
  }

  void close() {
    if (broken_) throw *broken_;
    if (closed_) return;
    // Alone, the steps that have ended are written before the other is told; ranks may have ended different steps.
    const std::optional<Error> wrong = middle_of_step("close()");
    if (wrong && !alone() && !failure_) failure_ = wrong;
    or_break([&] {
      strategy_->finish(failure_);
      strategy_.reset();
      for (const auto& observer : observers_) observer->finish(*comm_, catalog_, *store_, next_step_);
      commits_->finish();
      agree_on(*comm_, [&] { store_->close(); });
      agree_on(*comm_, [&] {
        if (comm_->rank() == 0) storage::show_steps(catalog_, next_step_, view_maker(), !observers_.empty());
        lock_.reset();
      });
    });
    closed_ = true;
    if (wrong) throw wrong->agreed();
  }

  void abandon() { closed_ = true; }

  std::uint64_t next_step() const { return next_step_; }
  const storage::SeriesCatalog& catalog() const { return catalog_; }
  const series::WriteCounters& counters() const { return counters_; }

 private:
  // The new file as far as HDF5 makes it, under its part's name. Its catalog has the name it is to get.
  storage::SeriesCatalog make_part(const std::string& path, const SeriesSpec& spec,
                                   const std::vector<series::FixedArray>& fixed,
                                   const std::vector<storage::Subset>& subsets, const series::FilteredWindow& window,
                                   const std::function<void(const std::string& part)>& prepare) {
    std::vector<storage::FixedArrayPlan> arrays;
    arrays.reserve(fixed.size());
    for (const series::FixedArray& array : fixed) arrays.push_back(array.plan);
    for (const auto& observer : observers_) {
      const auto more = observer->arrays(spec);
      arrays.insert(arrays.end(), more.begin(), more.end());
    }
    storage::FilePlan plan =
        series::plan_file(spec, series::alignment_at(path, spec.align_bytes), comm_->size(), arrays, subsets, window);
    plan.commit_slots = storage::words_for_slots(nodes_, options_.commit_groups);
    storage::check_plan(path, plan);
    new_file_ = std::make_unique<storage::NewFile>(path, spec.if_exists, std::nullopt);
    if (prepare) prepare(new_file_->part());
    storage::SeriesCatalog catalog = storage::create_series_file(new_file_->part(), plan, view_maker());
    storage::hand_over(*comm_, new_file_->part());
    catalog.path = path;
    return catalog;
  }

  // Finds out what a strategy refuses (a budget that is too small, say) before the file has its name or is changed.
  void build(const series::StrategyFactory& make_strategy, const std::string& lies_at) {
    put_.assign(catalog_.fields.size(), false);
    commits_ = std::make_unique<series::Commits>(*comm_, options_, lies_at);
    strategy_ = make_strategy({*comm_, catalog_, owned_, options_, *store_, counters_, [this] { make_room(); }, epoch_,
                               observers_, nodes_, lies_at});
  }

  // What the file is to say of this writer. Collective.
  storage::NewWriter as_new_writer() {
    const storage::CommitGroups& groups = strategy_->commit_groups();
    return series::new_writer(*comm_, catalog_, next_step_, groups, commits_->durable_slots(groups));
  }

  // Nobody else changes the file from here on. Collective.
  void take_lock(const std::function<storage::WriterLock()>& take, const std::string& path) {
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) lock_ = take();
    });
    if (comm_->rank() != 0) lock_ = storage::WriterLock::join(path);
  }

  // What all ranks have thrown ends the writer: from then on it says the same to everything.
  void or_break(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      if (error.is_agreed() || alone()) broken_ = error;
      throw;
    } catch (const std::exception& error) {  // an observer's own
      broken_ = Error(ErrorKind::system, catalog_.path, error.what());
      throw;
    }
  }

  std::optional<Error> failure_behind() const {
    std::optional<Error> failure = strategy_->failure();
    return failure ? failure : commits_->failure();
  }

  // Where there is nobody to agree with, at once.
  void tell_failure() {
    if (closed_) return;
    if (const auto failure = failure_behind()) {
      broken_ = failure->agreed();
      throw *broken_;
    }
  }

  // Without close() nothing can be agreed on. Alone this is no matter; otherwise it is said what is lost.
  void leave_without_close() {
    if (closed_ || broken_ || failure_ || (refused_ && !alone()) || !strategy_ || !commits_) return;
    const std::uint64_t gathered = strategy_->gathered();
    if (gathered == 0) return;
    try {
      if (alone()) return commits_->flush(*strategy_, std::nullopt);
    } catch (const Error& error) {
      fmt::print(stderr, "weft: error: {}\n", error.what());
    }
    if (comm_->rank() != 0) return;
    fmt::print(stderr, "weft: {}: the writer ended without close(): steps {} to {} are not in the file\n",
               catalog_.path, next_step_ - gathered, next_step_ - 1);
  }

  void open_store(const std::string& lies_at) {
    storage::find_one_file(*comm_, lies_at);
    agree_on(*comm_, [&] {
      // The counters live as long as this object, and so does the store.
      store_ = storage::open_store(lies_at, open_mode_,
                                   std::shared_ptr<storage::SyscallCounters>(&counters_.syscall, [](auto*) {}),
                                   catalog_.path);
      if (options_.wrap_store) store_ = options_.wrap_store(std::move(store_));
    });
  }

  storage::ViewMaker view_maker() const {
    return [this](const storage::SeriesCatalog& catalog, std::uint64_t steps) {
      const auto store = storage::open_store(catalog.path, storage::OpenMode::read);
      return with_observed(catalog, view::series_view(catalog, steps, view::reader_of(*store)));
    };
  }

  // The view, and what the observers show: maps, which are in the view, too.
  storage::ObjectPlan with_observed(const storage::SeriesCatalog& catalog, view::View view) const {
    storage::ObjectPlan observed;
    for (const auto& observer : observers_) {
      const storage::ObjectPlan more = observer->objects(catalog);
      observed.insert(observed.end(), more.begin(), more.end());
    }
    view::add_maps(view, observed);
    storage::ObjectPlan plan = view::vtkhdf_objects(view);
    plan.insert(plan.end(), observed.begin(), observed.end());
    return plan;
  }

  bool alone() const { return comm_->size() == 1; }

  // What the other ranks are to be told where this one cannot end its step; alone, whoever called put() knows already
  // what was refused.
  std::optional<Error> missing_field() const {
    for (std::size_t f = 1; f < put_.size(); ++f) {
      if (put_[f] || owned_[f].local_elements() == 0) continue;
      if (refused_ && !alone()) return refused_;
      return Error(ErrorKind::usage, catalog_.path,
                   fmt::format("step {} ends without field {}", next_step_, catalog_.fields[f].name),
                   "put() every field before end_step()");
    }
    return std::nullopt;
  }

  std::optional<Error> middle_of_step(std::string_view call) const {
    if (refused_ && !alone()) return refused_;  // this rank may be leaving, and others wait for it in end_step()
    if (std::find(put_.begin(), put_.end(), true) == put_.end()) return std::nullopt;
    return Error(ErrorKind::usage, catalog_.path, fmt::format("{} in the middle of step {}", call, next_step_),
                 "call end_step() after the last put()");
  }

  void make_room() {
    catalog_ = share_catalog(*comm_, [&] { return storage::add_room(catalog_, catalog_.capacity(), view_maker()); });
  }

  std::size_t check_put(const FieldKey& key, DataType type, std::span<const std::byte> values) const {
    if (key.is_handle() && (key.number() == 0 || key.number() >= catalog_.fields.size())) {
      throw Error(ErrorKind::usage, catalog_.path, "the handle is of a field of another series",
                  "ask this writer: field()");
    }
    const std::string_view name = key.is_handle() ? std::string_view(catalog_.fields[key.number()].name) : key.name();
    const std::string where = fmt::format("{}: put(\"{}\")", catalog_.path, name);
    if (closed_) throw Error(ErrorKind::usage, where, "the series is closed", "add steps with append()");
    const std::size_t found = key.is_handle() ? key.number() : number_of(name, "put");
    const storage::FieldEntry& field = catalog_.fields[found];
    if (field.type != type) {
      throw Error(ErrorKind::usage, where,
                  fmt::format("is given {} and holds {}", weft::name_of(type), weft::name_of(field.type)),
                  "put the type the field was declared with");
    }
    const std::uint64_t wanted = owned_[found].local_elements();
    const std::uint64_t given = values.size() / size_of(type);
    const bool ignored = field.support == Support::global && comm_->rank() != 0;
    if (given != wanted && !ignored) {
      throw Error(ErrorKind::usage, where, fmt::format("is given {} values, this rank holds {}", given, wanted),
                  "put every value of the rank's ownership, ghosts included");
    }
    if (put_[found]) {
      throw Error(ErrorKind::usage, where, fmt::format("was put in step {} already", next_step_), "call end_step()");
    }
    if (std::optional<Error> none = no_step_left(where)) throw *std::move(none);
    return found;
  }

  std::optional<Error> no_step_left(const std::string& where) const {
    if (!fixed_length_ || next_step_ < catalog_.capacity()) return std::nullopt;
    return Error(ErrorKind::usage, where, fmt::format("the series has {} steps and they are all written", next_step_),
                 "declare more steps, or an unknown number");
  }

  pid_t process_ = ::getpid();
  std::shared_ptr<Communicator> comm_;
  std::optional<storage::WriterLock> lock_;  // given back last of all
  WriterOptions options_;
  Observers observers_;
  bool fixed_length_;
  std::vector<std::uint64_t> nodes_;            // of all ranks
  std::unique_ptr<storage::NewFile> new_file_;  // rank 0's, where one is made
  storage::SeriesCatalog catalog_;
  std::vector<partition::Ownership> owned_;  // as catalog_.fields
  series::WriteCounters counters_;
  storage::OpenMode open_mode_ = storage::OpenMode::write;
  std::unique_ptr<storage::ByteStore> store_;
  std::uint64_t epoch_ = 1;
  std::unique_ptr<series::Commits> commits_;
  std::unique_ptr<series::WriteStrategy> strategy_;
  std::vector<bool> put_;  // in the present step
  std::uint64_t next_step_ = 0;
  series::RisingTimes times_;     // rank 0's
  std::optional<Error> refused_;  // a put() of the present step; nothing has come of it
  std::optional<Error> failure_;  // this rank's, told at the next collective point
  std::optional<Error> broken_;   // agreed on: the writer has ended
  bool closed_ = false;
};

SeriesWriter::SeriesWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SeriesWriter::SeriesWriter(SeriesWriter&&) noexcept = default;

SeriesWriter& SeriesWriter::operator=(SeriesWriter&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

SeriesWriter::~SeriesWriter() {
  // A child of fork() has none of the writer's threads: whoever waits for them waits for ever.
  if (impl_ && !impl_->of_this_process()) static_cast<void>(impl_.release());
}

SeriesWriter::Impl& SeriesWriter::mine() const {
  if (impl_->of_this_process()) return *impl_;
  throw Error(ErrorKind::usage, impl_->catalog().path,
              fmt::format("is written by process {}, and this is a child of it", impl_->process()),
              "write where the series was made");
}

SeriesWriter SeriesWriter::create(std::shared_ptr<Communicator> comm, const std::string& path, const SeriesSpec& spec,
                                  const series::StrategyFactory& strategy,
                                  const std::function<void(const std::string& part)>& prepare) {
  auto impl = std::make_unique<Impl>(std::move(comm), spec.options, spec.observers, spec.steps.has_value());
  impl->create(storage::whole_path(path), spec, strategy, prepare);
  return SeriesWriter(std::move(impl));
}

SeriesWriter SeriesWriter::append(std::shared_ptr<Communicator> comm, const std::string& path, const AppendSpec& spec,
                                  const series::StrategyFactory& strategy) {
  auto impl = std::make_unique<Impl>(std::move(comm), spec.options, spec.observers, false);
  impl->append(storage::whole_path(path), spec, strategy);
  return SeriesWriter(std::move(impl));
}

FieldHandle SeriesWriter::field(std::string_view name) const { return FieldHandle(mine().number_of(name, "field")); }

void SeriesWriter::put_bytes(const FieldKey& field, DataType type, std::span<const std::byte> values) {
  mine().put(field, type, values);
}
void SeriesWriter::end_step(double time) { mine().end_step(time); }
void SeriesWriter::flush() { mine().flush(); }
void SeriesWriter::close() { mine().close(); }
void SeriesWriter::abandon() { mine().abandon(); }
std::uint64_t SeriesWriter::next_step() const { return impl_->next_step(); }
const storage::SeriesCatalog& SeriesWriter::catalog() const { return impl_->catalog(); }
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
