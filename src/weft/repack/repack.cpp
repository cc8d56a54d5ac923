#include "weft/repack/repack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "weft/repack/chunk_message.hpp"
#include "weft/repack/chunk_sums.hpp"
#include "weft/repack/conveyor.hpp"
#include "weft/repack/paging.hpp"
#include "weft/repack/skeleton.hpp"
#include "weft/repack/spill_file.hpp"
#include "weft/repack/target_file.hpp"
#include "weft/repack/told_by_rank_0.hpp"
#include "weft/storage/hand_over.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::repack {

namespace {

using storage::Handle;

Handle open_dataset(hid_t file, const std::string& path) {
  return Handle(
      storage::check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
}

class Repacking {
 public:
  Repacking(Communicator& comm, const RepackRequest& request)
      : comm_(comm), request_(request), workers_(worker_count(request)) {}

  RepackReport run() {
    const Stopwatch clock;
    const storage::QuietHdf5 quiet;
    mode_ = storage::shared_mode(comm_, request_.out);
    take_target();
    agreed([&] {
      plan_ = request_.in_place ? plan_repack_of_locked(request_) : plan_repack(request_);
      total_ = plan_.bytes();
      if (request_.planned) request_.planned(plan_);
      report_.datasets.resize(plan_.chosen.size());
      in_ = survey::open_file(request_.in);
      bytes_in_ = storage::open_store(request_.in, storage::OpenMode::read);
      if (comm_.rank() == 0) make_skeleton();
    });
    if (!plan_.page_bytes) {
      // Straight writes first, while HDF5 has the file closed.
      move_straight();
      if (comm_.rank() == 0) agree_alone([&] { reopen(); });
      move_all(false);
    } else {
      // HDF5 has it open already, and keeps it so: it knows what is free in its pages only until it closes the file.
      move_all(false);
      agreed([&] {
        if (comm_.rank() == 0) close_skeleton();
      });
      move_straight();
    }
    agreed([&] {
      bytes_out_->close();
      if (comm_.rank() == 0) finish();
    });
    report_.seconds = clock.seconds();
    report_.plan = std::move(plan_);
    return std::move(report_);
  }

 private:
  // From here on nobody changes what is replaced, and what is read is watched.
  void take_target() {
    agreed([&] {
      if (comm_.rank() == 0) {
        target_ = std::make_unique<TargetFile>(request_.in, request_.out, request_.in_place, request_.overwrite,
                                               request_.take_over);
      }
    });
    part_ = told_by_rank_0(comm_, target_ ? target_->part() : std::string());
    if (request_.makes) request_.makes({part_, storage::spill_path(request_.out), storage::lock_file(request_.out)});
    storage::find_one_file(comm_, request_.in);
  }

  void move_straight() {
    storage::find_one_file(comm_, part_);
    agreed([&] { bytes_out_ = storage::open_store(part_, mode_); });
    move_all(true);
  }

  void move_all(bool direct) {
    for (std::size_t i = 0; i < plan_.chosen.size(); ++i) {
      if (plan_.chosen[i].direct_target != direct) continue;
      const Stopwatch dataset_clock;
      move(i);
      report_.datasets[i].seconds = dataset_clock.seconds();
    }
  }

  // Work of this rank's own, after which all agree.
  void agreed(const std::function<void()>& action) {
    const auto say = [&](bool working) {
      if (request_.working) request_.working(working);
    };
    say(true);
    agree_on(comm_, [&] {
      try {
        action();
      } catch (...) {
        say(false);
        throw;
      }
      say(false);
    });
  }

  // What rank 0 does alone is told to the others at the next agreement.
  void agree_alone(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      failed_alone_ = error;
    }
  }

  void check() const {
    if (request_.stopped && request_.stopped()) {
      throw Error(ErrorKind::system, request_.out, "was not written: interrupted",
                  fmt::format("{} is as it was", request_.in));
    }
  }

  void make_skeleton() {
    const Handle creation = file_creation(in_);
    if (plan_.page_bytes > 0) set_pages(creation, plan_.page_bytes);
    if (request_.without_pages) take_pages_away(creation);
    user_block_ = survey::user_block_of(in_);
    std::uint64_t expected = 0;
    for (const Chosen& chosen : plan_.chosen) {
      if (chosen.direct_target) expected += chosen.facts.logical_bytes();
    }
    target_->check_length(expected);
    out_ = Handle(storage::check_hdf5(
        H5Fcreate(target_->part().c_str(), H5F_ACC_TRUNC, creation, storage::file_access(H5F_LIBVER_LATEST)),
        target_->part(), "cannot be created"));
    std::vector<NewLayout> anew;
    for (const Chosen& chosen : plan_.chosen) {
      anew.push_back({chosen.facts.path, chosen.chunk, chosen.filters, chosen.direct_target});
    }
    std::optional<FrontRoom> front;
    if (plan_.page_bytes > 0) front = front_room(in_, out_, plan_);
    const SkeletonReport made = copy_skeleton(
        in_, out_, anew, [this] { check(); }, front);
    report_.copied_datasets = made.copied_datasets;
    report_.lost_references = made.lost_references;
    for (const Chosen& chosen : plan_.chosen) {
      std::optional<storage::ArrayEntry> array;
      if (chosen.direct_target) {
        const Handle dataset = open_dataset(out_, chosen.facts.path);
        array = survey::array_in_bytes(dataset, survey::facts_of(dataset, chosen.facts.path));
        if (!array) throw Error(ErrorKind::system, chosen.facts.path, "got no place in the new file");
      }
      maps_.push_back(std::move(array));
    }
    for (const Chosen& chosen : plan_.chosen) {
      const Handle dataset = open_dataset(out_, chosen.facts.path);
      if (H5Aexists(dataset, "weft_layout") > 0) storage::write_attribute(dataset, "weft_layout", chosen.rationale);
    }
    if (!plan_.page_bytes) close_skeleton();
  }

  void close_skeleton() {
    close_out(target_->part());
    storage::hand_over(comm_, target_->part());
  }

  // A file that HDF5 cannot close takes the library down when the program ends; one that it cannot flush can still be
  // closed once there is room again (TargetFile).
  void close_out(const std::string& path) {
    storage::check_hdf5(H5Fflush(out_, H5F_SCOPE_GLOBAL), path, "cannot be written");
    storage::check_hdf5(out_.reset(), path, "cannot be closed");
  }

  void reopen() {
    out_ = Handle(storage::check_hdf5(H5Fopen(part_.c_str(), H5F_ACC_RDWR, storage::file_access(H5F_LIBVER_LATEST)),
                                      part_, "cannot be opened again"));
  }

  void move(std::size_t number) {
    const Chosen& chosen = plan_.chosen[number];
    Handle source_dataset;
    std::optional<storage::ArrayEntry> source_array;
    std::optional<survey::WholeChunks> chunks;
    Conveyance what;
    origins_.reset();
    agreed([&] {
      if (failed_alone_) throw *failed_alone_;
      source_dataset = open_dataset(in_, chosen.facts.path);
      what.fill = survey::fill_value(source_dataset);
      if (chosen.direct_source) {
        source_array = survey::array_in_bytes(source_dataset, chosen.facts);
      } else {
        origins_ = survey::stored_origins(source_dataset, chosen.facts);
        chunks.emplace(source_dataset, chosen.facts);
      }
    });
    what.name = chosen.facts.path;
    what.shape = chosen.facts.shape;
    what.element_bytes = chosen.facts.element_bytes;
    what.pass = chosen.plan.first;
    what.check = [this] { check(); };
    what.moved = [this](std::uint64_t bytes) {
      done_ += bytes;
      if (request_.progress) request_.progress(done_ * static_cast<std::uint64_t>(comm_.size()), total_);
    };
    if (source_array) {
      what.source.array = &*source_array;
      what.source.bytes = bytes_in_.get();
    } else {
      what.source.chunks = &*chunks;
      what.source.chunk = chosen.facts.chunk;
      what.source.filters = chosen.facts.filters;
    }
    std::optional<ChunkSums> sums;
    if (request_.checksums) sums.emplace(survey::Pieces(chosen.facts.shape, chosen.chunk), what.fill);
    if (chosen.plan.spill) {
      by_way_of_a_spill_file(what, chosen, sums);
    } else {
      deliver(what, chosen, sums);
    }
    if (!sums) return;
    sums->gather(comm_);
    if (comm_.rank() != 0) return;
    tables_.push_back({chosen.facts.path,
                       survey::Pieces(chosen.facts.shape, chosen.chunk),
                       {sums->sums().begin(), sums->sums().end()}});
  }

  // To where it stays.
  void deliver(Conveyance what, const Chosen& chosen, std::optional<ChunkSums>& sums) {
    what.sink = {nullptr, nullptr, {}, chosen.chunk, chosen.filters, {}};
    if (sums) what.sink.sums = sums->sums();
    if (!chosen.direct_target) return through_hdf5(what, chosen);
    const auto number = static_cast<std::size_t>(&chosen - plan_.chosen.data());
    const storage::ArrayEntry array =
        survey::array_of_bytes(chosen.facts.path, chosen.facts.shape, chosen.chunk, chosen.facts.element_bytes,
                               told_by_rank_0(comm_, comm_.rank() == 0 ? maps_[number] : std::nullopt));
    what.sink.array = &array;
    what.sink.bytes = bytes_out_.get();
    reserve(array);
    straight(what, chosen);
  }

  void by_way_of_a_spill_file(Conveyance what, const Chosen& chosen, std::optional<ChunkSums>& sums) {
    if (request_.announce && comm_.rank() == 0) {
      request_.announce(fmt::format(
          "{}: its chunks and the new ones fit the budget of {} only one after the other; they meet in "
          "a spill file of {} beside {}, which is removed again",
          chosen.facts.path, format_bytes(request_.budget_bytes), format_bytes(chosen.plan.spill_bytes), request_.out));
    }
    SpillFile spill(comm_, storage::spill_path(request_.out), chosen.plan.spill_bytes, mode_);
    const std::uint64_t chunk_bytes = element_count(chosen.chunk) * chosen.facts.element_bytes;
    const storage::ArrayEntry array =
        survey::array_of_bytes(chosen.facts.path, chosen.facts.shape, chosen.chunk, chosen.facts.element_bytes,
                               storage::ChunkAddresses::in_a_row(0, chunk_bytes));
    what.sink.chunk = chosen.chunk;
    what.sink.array = &array;
    what.sink.bytes = &spill.store();
    const auto moved = std::exchange(what.moved, [](std::uint64_t) {});
    straight(what, chosen);

    what.moved = moved;
    what.pass = chosen.plan.second;
    what.source = {&array, &spill.store(), nullptr, {}, {}};
    deliver(what, chosen, sums);
  }

  // The disk's room for all chunks, asked for at once: a full disk is met before hours of work.
  void reserve(const storage::ArrayEntry& array) {
    agreed([&] {
      if (comm_.rank() != 0) return;
      if (array.addresses.are_in_a_row())
        bytes_out_->reserve(array.addresses.at(0), array.chunks() * array.chunk_bytes());
    });
  }

  // All regions of a pass, or those with something in them where that is known.
  std::vector<std::uint64_t> regions_of(const Conveyance& what, const Chosen& chosen) const {
    if (origins_) return regions_touched(what.shape, what.pass.region, chosen.facts.chunk, *origins_);
    constexpr std::uint64_t kMost = 1ULL << 27;
    if (what.pass.regions(what.shape) > kMost) {
      throw Error(ErrorKind::data, what.name, fmt::format("is {}, too large to check", to_string(what.shape)),
                  "check its extents: the file may be damaged");
    }
    std::vector<std::uint64_t> regions(what.pass.regions(what.shape));
    std::iota(regions.begin(), regions.end(), std::uint64_t{0});
    return regions;
  }

  // Every rank moves its regions, without a word to the others.
  void straight(const Conveyance& what, const Chosen& chosen) {
    agreed([&] {
      Conveyor conveyor(workers_, what);
      std::vector<std::uint64_t> mine;
      const std::vector<std::uint64_t> all = regions_of(what, chosen);
      for (auto i = static_cast<std::size_t>(comm_.rank()); i < all.size();
           i += static_cast<std::size_t>(comm_.size())) {
        mine.push_back(all[i]);
      }
      conveyor.run(mine);
    });
  }

  // Every rank moves a region, then hands its chunks to rank 0, which alone writes them.
  void through_hdf5(Conveyance what, const Chosen& chosen) {
    Handle dataset;
    std::optional<HdfChunks> written;
    std::vector<ReadyChunk> ready;
    agreed([&] {
      if (comm_.rank() != 0) return;
      dataset = open_dataset(out_, chosen.facts.path);
      written.emplace(dataset, chosen.facts, chosen.chunk, chosen.filters);
    });
    what.sink.ready = [&](ReadyChunk&& chunk) {
      if (written) {
        write(*written, chunk);
      } else {
        ready.push_back(std::move(chunk));
      }
    };
    const std::vector<std::uint64_t> regions = regions_of(what, chosen);
    const auto ranks = static_cast<std::size_t>(comm_.size());
    const auto rank = static_cast<std::size_t>(comm_.rank());
    std::unique_ptr<Conveyor> conveyor;
    agreed([&] { conveyor = std::make_unique<Conveyor>(workers_, what); });
    if (ranks == 1) {
      agreed([&] { conveyor->run(regions); });
    }
    for (std::size_t round = 0; ranks > 1 && round < regions.size(); round += ranks) {
      agreed([&] {
        if (round + rank < regions.size()) conveyor->run(std::span(regions).subspan(round + rank, 1));
      });
      for (int sender = 1; sender < comm_.size(); ++sender) gather(sender, ready, written);
    }
    agreed([&] {
      if (!dataset.valid()) return;
      storage::check_hdf5(H5Dflush(dataset), chosen.facts.path, "cannot be written");
    });
  }

  // One rank's chunks to rank 0. Collective.
  void gather(int sender, std::vector<ReadyChunk>& ready, std::optional<HdfChunks>& written) {
    std::vector<std::byte> message;
    if (comm_.rank() == sender) {
      message = packed(ready);
      ready.clear();
    }
    const std::uint64_t length = comm_.max(message.size());
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    if (comm_.rank() == sender) outgoing.push_back({0, message});
    if (comm_.rank() == 0) {
      message.resize(length);
      incoming.push_back({sender, message});
    }
    comm_.exchange(outgoing, incoming);
    agreed([&] {
      if (comm_.rank() == 0) {
        unpack(message, written->rank(), [&](const ReadyChunk& chunk) { write(*written, chunk); });
      }
    });
  }

  void write(HdfChunks& written, const ReadyChunk& chunk) {
    hsize_t now = 0;
    H5Fget_filesize(out_, &now);
    target_->check_length(now + 2 * chunk.bytes.size());
    written.write(chunk);
  }

  void finish() {
    if (!out_.valid()) reopen();
    if (request_.checksums) store_sums(out_, request_, plan_, tables_, [this] { check(); });
    for (std::size_t i = 0; i < plan_.chosen.size(); ++i) {
      const Handle dataset = open_dataset(out_, plan_.chosen[i].facts.path);
      report_.datasets[i].stored_before = plan_.chosen[i].facts.stored_bytes;
      report_.datasets[i].stored_after = H5Dget_storage_size(dataset);
    }
    close_out(part_);
    copy_user_block(request_.in, part_, user_block_);
    report_.file_bytes_before = plan_.survey.file_bytes;
    report_.file_bytes_after = storage::open_store(part_, storage::OpenMode::read)->size();
    check();
    target_->finish(request_.in_place);
  }

  Communicator& comm_;
  const RepackRequest& request_;
  RepackPlan plan_;
  Workers workers_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  Handle in_;
  Handle out_;
  std::unique_ptr<TargetFile> target_;  // rank 0's
  std::string part_;
  storage::OpenMode mode_ = storage::OpenMode::write;     // of all ranks, for what they write
  std::vector<std::optional<storage::ArrayEntry>> maps_;  // rank 0's, of the straight targets
  std::vector<survey::ChecksumTable> tables_;             // rank 0's
  std::unique_ptr<storage::ByteStore> bytes_in_;
  std::unique_ptr<storage::ByteStore> bytes_out_;
  std::optional<std::vector<Shape>> origins_;  // of the source's stored chunks, where that is worth knowing
  std::uint64_t user_block_ = 0;
  std::optional<Error> failed_alone_;
  RepackReport report_;
};

}  // namespace

RepackReport repack(Communicator& comm, const RepackRequest& request) { return Repacking(comm, request).run(); }

}  // namespace weft::repack
