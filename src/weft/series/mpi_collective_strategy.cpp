#include "weft/series/mpi_collective_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/exchange/plan_builder.hpp"
#include "weft/exchange/window.hpp"
#include "weft/series/call_parts.hpp"
#include "weft/storage/group_commit.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/storage/write_plan.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::series {

namespace {

using storage::check_hdf5;
using storage::Handle;

// What one field gathers: [step][elements of this rank's box]. Where ranks hold no boxes, their nodes first move to
// even slabs of nodes, one for each rank, with the same exchange the owner strategy uses.
struct FieldCache {
  Box box;       // of the step array; nothing where `elements` is 0
  Shape memory;  // of one step in the cache: the box, or a slab with its padding
  std::uint64_t elements = 0;
  std::uint64_t step_bytes = 0;
  std::uint64_t steps = 0;  // capacity
  exchange::PageMemory bytes;
  std::uint64_t first = 0;  // the first gathered step
  std::uint64_t gathered = 0;
  // For slabs only.
  exchange::WindowShape slab;
  std::unique_ptr<exchange::Mail> mail;
  std::unique_ptr<exchange::TileMemory> tiles;

  const std::byte* data() const { return tiles ? tiles->steps_of(0, 0, 0).data() : bytes.data(); }
};

// An MPI_Info that frees itself.
class Info {
 public:
  explicit Info(const std::map<std::string, std::string>& hints) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : hints) MPI_Info_set(info_, key.c_str(), value.c_str());
  }
  ~Info() { MPI_Info_free(&info_); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

class CollectiveStrategy final : public WriteStrategy {
 public:
  CollectiveStrategy(StrategyContext context, std::shared_ptr<MpiCommunicator> comm, CollectiveOptions options)
      : context_(std::move(context)), comm_(std::move(comm)), options_(std::move(options)) {
    if (storage::shared_mode(*comm_, context_.lies_at) == storage::OpenMode::direct) {
      throw Error(
          ErrorKind::usage, context_.catalog.path,
          "the ranks run on several clients of NFS, and MPI-IO would lose what one writes beside another's bytes",
          "use --strategy owner, or run on one machine")
          .agreed();
    }
    for (const storage::FieldEntry& field : context_.catalog.fields) {
      if (field.filter.empty()) continue;
      throw Error(ErrorKind::usage, context_.catalog.path,
                  fmt::format("field {} is filtered ({})", field.name, field.filter), "use --strategy owner for it")
          .agreed();
    }
    commit_ = std::make_unique<storage::GroupCommit>(*comm_, context_.nodes, true, context_.options.commit_groups);
    options_.call_limit_bytes = std::min(options_.call_limit_bytes, comm_->count_limit());
    for (std::size_t f = 1; f < context_.catalog.fields.size(); ++f) {
      caches_.push_back(std::make_unique<FieldCache>());
      prepare(f, *caches_.back());
    }
  }

  const storage::CommitGroups& commit_groups() const override { return commit_->groups(); }

  void begin(std::uint64_t step) override {
    for (auto& cache : caches_) cache->first = step;
    next_ = committed_ = step;
  }

  void put(std::size_t field, std::span<const std::byte> local) override {
    if (field == 0) {
      double time = 0;
      std::memcpy(&time, local.data(), sizeof time);
      times_.push_back(time);
      return;
    }
    FieldCache& cache = *caches_[field - 1];
    if (cache.mail) {
      cache.mail->put(cache.gathered, local, *cache.tiles);
    } else {
      std::memcpy(cache.bytes.data() + cache.gathered * cache.step_bytes, local.data(), local.size());
    }
  }

  void end_step(double, const std::optional<Error>& failure) override {
    ++next_;
    bool due = false;
    for (auto& cache : caches_) {
      ++cache->gathered;
      due = due || is_full(*cache);
    }
    if (due) write_due(failure, false);
  }

  std::uint64_t gathered() const override { return next_ - committed_; }

  void commit(const std::optional<Error>& failure) override { write_due(failure, true); }

  void flush(const std::optional<Error>& failure) override {
    write_due(failure, true);
    close_file();
  }

 private:
  void prepare(std::size_t f, FieldCache& cache) {
    const storage::FieldEntry& field = context_.catalog.fields[f];
    const partition::Ownership& owned = context_.owned[f];
    cache.steps = options_.cached ? context_.catalog.segments[0].fields[f].chunk[0] : 1;
    if (comm_->min(owned.as_box() ? 1 : 0) == 1) {
      cache.box = *owned.as_box();
      cache.memory = cache.box.count;
      cache.elements = owned.owned_elements();
      cache.step_bytes = cache.elements * size_of(field.type);
      cache.bytes = exchange::PageMemory(cache.steps * cache.step_bytes);
      return;
    }
    Shape slab = field.per_step;
    slab[0] = ceil_div(slab[0], static_cast<std::uint64_t>(comm_->size()));
    const partition::TileGrid grid(field.per_step, slab);
    cache.slab.plan = std::make_shared<const partition::MovePlan>(exchange::build_plan(
        *comm_, grid, owned, partition::Writers(comm_->size()), partition::OwnerRule::in_order, field.name));
    cache.slab.element_bytes = size_of(field.type);
    cache.slab.tile_bytes = grid.tile_elements() * size_of(field.type);
    cache.slab.steps = cache.steps;
    cache.mail = std::make_unique<exchange::Mail>(cache.slab);
    cache.tiles = std::make_unique<exchange::TileMemory>(cache.slab);
    cache.box = whole(field.per_step);
    cache.memory = slab;
    cache.step_bytes = cache.slab.tile_bytes;
    if (cache.slab.plan->tiles.empty()) return;
    cache.box.start[0] = cache.slab.plan->tiles[0] * slab[0];
    cache.box.count[0] = std::min(slab[0], field.per_step[0] - cache.box.start[0]);
    cache.elements = element_count(cache.box.count);
  }

  // A cache is full at the end of its chunks' steps, counted from its segment's start, or at the segment's end.
  bool is_full(const FieldCache& cache) const {
    const std::uint64_t end = cache.first + cache.gathered;
    const storage::StepRoom room = context_.catalog.room_around(cache.first);
    return (end - room.first) % cache.steps == 0 || end == room.first + room.steps;
  }

  void write_due(const std::optional<Error>& failure, bool all) {
    agree(*comm_, failure);
    for (std::size_t f = 1; f < context_.catalog.fields.size(); ++f) {
      FieldCache& cache = *caches_[f - 1];
      if (cache.gathered > 0 && (all || is_full(cache))) write_field(f, cache);
    }
    std::uint64_t committed = next_;
    for (const auto& cache : caches_) committed = std::min(committed, cache->first);
    if (committed == committed_) return;
    agree_on(*comm_, [&] { commit(committed); });
    if (commit_->groups().span_nodes()) {
      agree_on(*comm_, [&] {
        if (commit_->settle(*comm_, commit_target())) ++context_.counters.app_slot_writes;
      });
    }
    // Only now, so that all ranks still stand at the same step where one of them failed, and close() can follow.
    if (comm_->rank() == 0) {
      times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(committed - committed_));
    }
    committed_ = committed;
  }

  void write_field(std::size_t f, FieldCache& cache) {
    if (cache.first >= context_.catalog.capacity()) {
      close_file();
      context_.make_room();
    }
    if (cache.mail) cache.mail->deliver(*comm_, cache.gathered, *cache.tiles);
    reserve_room();
    agree_on(*comm_, [&] {
      storage::check_epoch(context_.store, context_.catalog, context_.epoch);
      open_file();
    });
    const storage::SegmentEntry& segment = segment_of(cache.first);
    const storage::ArrayEntry& array = segment.fields[f];

    Shape count{cache.elements == 0 ? 0 : cache.gathered};
    count.insert(count.end(), cache.box.count.begin(), cache.box.count.end());
    const std::vector<Box> parts = call_parts(count, size_of(array.type), options_.call_limit_bytes);
    // Every rank makes as many collective calls as the one with the most parts.
    const std::uint64_t calls = comm_->max(parts.size());
    for (std::uint64_t call = 0; call < calls; ++call) {
      agree_on(*comm_, [&] {
        write_part(array, cache, cache.first - segment.first_step, call < parts.size() ? &parts[call] : nullptr);
      });
    }
    cache.first += cache.gathered;
    cache.gathered = 0;
    ++context_.counters.windows;
  }

  // Once for each segment. Open MPI's collective write has been seen to report success on a full disk, and MPICH's to
  // hang.
  void reserve_room() {
    if (reserved_ == context_.catalog.capacity()) return;
    agree_on(*comm_, [&] {
      if (comm_->rank() == 0) context_.store.reserve(0, context_.store.size());
    });
    reserved_ = context_.catalog.capacity();
  }

  // One collective call; `part` is nullptr on a rank that has nothing left to give.
  void write_part(const storage::ArrayEntry& array, const FieldCache& cache, std::uint64_t first_step,
                  const Box* part) {
    const storage::QuietHdf5 quiet;
    const Handle dataset(
        check_hdf5(H5Dopen2(file_, array.path.c_str(), H5P_DEFAULT), context_.catalog.path, array.path));
    const Handle file_space(H5Dget_space(dataset));
    std::vector<hsize_t> memory_extents{std::max<hsize_t>(1, cache.steps)};
    for (const std::uint64_t extent : cache.memory) memory_extents.push_back(std::max<hsize_t>(1, extent));
    const Handle memory_space(
        H5Screate_simple(static_cast<int>(memory_extents.size()), memory_extents.data(), nullptr));
    if (part == nullptr) {
      H5Sselect_none(file_space);
      H5Sselect_none(memory_space);
    } else {
      std::vector<hsize_t> count(part->count.begin(), part->count.end());
      std::vector<hsize_t> start(part->start.begin(), part->start.end());
      H5Sselect_hyperslab(memory_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      start[0] += first_step;
      for (std::size_t i = 0; i < cache.box.start.size(); ++i) start[i + 1] += cache.box.start[i];
      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      const std::uint64_t bytes = element_count(part->count) * size_of(array.type);
      context_.counters.app_bytes += bytes;
      context_.counters.hdf5_bytes += bytes;
    }
    const Handle transfer(H5Pcreate(H5P_DATASET_XFER));
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    ++context_.counters.app_writes;
    ++context_.counters.hdf5_collective_writes;
    const std::byte nothing{};  // HDF5 wants an address even for no bytes
    const void* data = cache.data() != nullptr ? static_cast<const void*>(cache.data()) : &nothing;
    check_hdf5(H5Dwrite(dataset, storage::native_type(array.type), memory_space, file_space, transfer, data),
               context_.catalog.path, "the collective write of " + array.path + " failed");
  }

  // Step values and slots go beside HDF5, as in every strategy: HDF5 touches neither of these datasets while it is
  // open.
  void commit(std::uint64_t steps) {
    if (comm_->rank() == 0) {
      std::vector<storage::WriteRequest> requests;
      for (std::uint64_t step = committed_; step < steps; ++step) {
        const storage::SegmentEntry& segment = segment_of(step);
        const std::uint64_t tile = 0;
        plan_writes(
            segment.fields[0], step - segment.first_step, 1, std::span(&tile, 1), 1,
            [&](std::uint64_t, std::uint64_t, std::uint64_t) {
              return std::as_bytes(std::span(&times_[step - committed_], 1));
            },
            requests);
      }
      for (const storage::WriteRequest& request : requests) context_.store.write_at(request.offset, request.pieces);
    }
    if (context_.options.sync == Sync::window) context_.store.sync();
    if (commit_->done(steps, commit_target())) ++context_.counters.app_slot_writes;
  }

  storage::GroupCommit::Target commit_target() const {
    return {context_.store, context_.catalog, context_.options.sync == Sync::window};
  }

  const storage::SegmentEntry& segment_of(std::uint64_t step) const {
    return *std::find_if(context_.catalog.segments.rbegin(), context_.catalog.segments.rend(),
                         [&](const storage::SegmentEntry& s) { return s.first_step <= step; });
  }

  void open_file() {
    if (file_.valid()) return;
    const storage::QuietHdf5 quiet;
    const Info info(options_.hints);
    const Handle access = storage::file_access(H5F_LIBVER_LATEST);
    check_hdf5(H5Pset_fapl_mpio(access, comm_->handle(), info.get()), context_.catalog.path, "MPI-IO");
    file_ = Handle(check_hdf5(H5Fopen(context_.catalog.path.c_str(), H5F_ACC_RDWR, access), context_.catalog.path,
                              "cannot open for collective writing"));
  }

  void close_file() {
    agree_on(*comm_, [&] {
      const storage::QuietHdf5 quiet;
      check_hdf5(file_.reset(), context_.catalog.path, "cannot close after collective writing");
    });
  }

  StrategyContext context_;
  std::unique_ptr<storage::GroupCommit> commit_;
  std::shared_ptr<MpiCommunicator> comm_;
  CollectiveOptions options_;
  std::vector<std::unique_ptr<FieldCache>> caches_;  // fields[1] on
  Handle file_;
  std::uint64_t reserved_ = 0;   // there is room on the disk for so many steps
  std::uint64_t next_ = 0;       // the present step
  std::uint64_t committed_ = 0;  // steps before this are in the file
  std::vector<double> times_;    // on rank 0: of steps from committed_ on
};

}  // namespace

StrategyFactory make_collective_strategy(std::shared_ptr<MpiCommunicator> comm, CollectiveOptions options) {
  return [comm = std::move(comm), options = std::move(options)](const StrategyContext& context) {
    return std::make_unique<CollectiveStrategy>(context, comm, options);
  };
}

}  // namespace weft::series
