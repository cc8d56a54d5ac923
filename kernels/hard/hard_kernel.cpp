#include "kernels/hard/hard_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/hard/record_dataset.hpp"
#include "kernels/io/series_output.hpp"
#include "kernels/io/values.hpp"
#include "kernels/io/whole_file.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::hard {

namespace {

using storage::OpenMode;

// One rank's part.
class HardRank {
 public:
  HardRank(MpiCommunicator& comm, const RunOptions& run, const HardOptions& options)
      : comm_(comm),
        run_(run),
        options_(options),
        rank_(static_cast<std::uint64_t>(comm.rank())),
        ranks_(static_cast<std::uint64_t>(comm.size())) {}

  // Random words of the rank; the first says which record it is.
  void make_values() {
    record_.resize(options_.record_bytes / sizeof(std::int64_t));
    for (std::uint64_t i = 0; i < record_.size(); ++i) {
      record_[i] = static_cast<std::int64_t>(random_bits(run_.seed, rank_, i));
    }
    if (options_.strategy == HardStrategy::files) transfer_.resize(options_.transfer_bytes);
  }

  void output(std::uint64_t phase, Done& done) {
    const std::string path = options_.strategy == HardStrategy::files ? rank_file(run_.out, phase, rank_)
                                                                      : shared_file(run_.out, phase, options_.strategy);
    switch (options_.strategy) {
      case HardStrategy::files: write_file(path, done); break;
      case HardStrategy::raw: write_raw(path, done); break;
      case HardStrategy::collective: write_collective(path, done); break;
      case HardStrategy::hdf5: write_hdf5(path, done); break;
      case HardStrategy::series: write_series(path, done); break;
    }
    if (options_.sync && options_.strategy != HardStrategy::series) bring_to_disk(path, done);
    done.bytes += options_.records * options_.record_bytes;
  }

 private:
  std::span<const std::int64_t> record(std::uint64_t number) {
    record_[0] = static_cast<std::int64_t>(number);
    return record_;
  }

  // Calls that all ranks make for each record: where one of them fails, it makes the others all the same, as the other
  // ranks wait for it there.
  void together(const std::function<void(std::uint64_t number)>& write) {
    std::optional<Error> failed;
    for (std::uint64_t number = 0; number < options_.records; ++number) {
      try {
        write(number);
      } catch (const Error& error) {
        if (!failed) failed = error;
      }
    }
    agree_on(comm_, [&] {
      if (failed) throw *failed;
    });
  }

  // The bytes of the rank's records, one behind the other, through a buffer of a transfer.
  void write_file(const std::string& path, Done& done) {
    agree_on(comm_, [&] {
      const auto store = opened(path, OpenMode::create, done);
      std::uint64_t filled = 0;
      std::uint64_t at = 0;
      const auto put_out = [&] {
        const std::span<const std::byte> bytes(transfer_.data(), filled);
        write(*store, at, bytes, done);
        at += std::exchange(filled, 0);
      };
      for (std::uint64_t number = 0; number < options_.records; ++number) {
        std::span<const std::byte> rest = std::as_bytes(record(number));
        while (!rest.empty()) {
          const std::size_t some = std::min<std::size_t>(rest.size(), transfer_.size() - filled);
          std::copy_n(rest.begin(), some, transfer_.begin() + static_cast<std::ptrdiff_t>(filled));
          rest = rest.subspan(some);
          filled += some;
          if (filled == transfer_.size()) put_out();
        }
      }
      if (filled > 0) put_out();
      close(*store, done);
    });
  }

  void write_raw(const std::string& path, Done& done) {
    std::unique_ptr<storage::ByteStore> store;
    agree_on(comm_, [&] {
      if (rank_ == 0) store = opened(path, OpenMode::create, done);
    });
    agree_on(comm_, [&] {
      if (rank_ > 0) store = opened(path, OpenMode::write, done);
      for (std::uint64_t number = 0; number < options_.records; ++number) {
        write(*store, offset_of(number), std::as_bytes(record(number)), done);
      }
      close(*store, done);
    });
  }

  void write_collective(const std::string& path, Done& done) {
    Calls calls;
    std::optional<MpiFile> file;
    agree_on(comm_, [&] {
      file.emplace(comm_.handle(), path, MPI_MODE_WRONLY | MPI_MODE_CREATE, run_.hints, MpiAccount{calls, done.times});
    });
    together([&](std::uint64_t number) {
      file->write_at_all(static_cast<MPI_Offset>(offset_of(number)), record(number).data(),
                         static_cast<int>(options_.record_bytes), MPI_BYTE);
    });
    agree_on(comm_, [&] { file->close(); });
    set_aside(comm_, done, [&] {
      if (rank_ == 0) check_whole(path, ranks_ * options_.records * options_.record_bytes);
    });
    done.app += calls;
    done.mpi += calls;
  }

  // HDF5 may crash where its own data no longer fit when it closes a file; so a full disk is met before.
  void check_room(const std::string& path) const {
    const std::uint64_t needed = ranks_ * options_.records * options_.record_bytes;
    std::error_code unknown;
    const std::uint64_t free = std::filesystem::space(run_.out, unknown).available;
    if (unknown || free >= needed) return;
    throw Error(ErrorKind::system, path,
                fmt::format("No space left: {} are written, and there is room for {}", format_bytes(needed),
                            format_bytes(free)),
                "write less, or elsewhere");
  }

  void write_hdf5(const std::string& path, Done& done) {
    set_aside(comm_, done, [&] {
      if (rank_ == 0) check_room(path);
    });
    std::optional<RecordDataset> dataset;
    PhaseTimes& times = done.times;
    agree_on(comm_, [&] {
      timed(times.open, times.calls.open, [&] {
        dataset.emplace(comm_, path, options_.records, options_.record_bytes / sizeof(std::int64_t), run_.hints);
      });
    });
    ++done.app.opens;
    together([&](std::uint64_t number) {
      timed(times.write, times.calls.write, [&] { dataset->write(number, record(number)); });
    });
    done.app.write(options_.record_bytes, options_.records);
    agree_on(comm_, [&] { timed(times.close, times.calls.close, [&] { dataset->close(); }); });
    ++done.app.closes;
  }

  void write_series(const std::string& path, Done& done) {
    FieldSpec field;
    field.name = "record";
    field.type = DataType::int64;
    field.per_step = {ranks_, options_.record_bytes / sizeof(std::int64_t)};
    field.layout.reads = options_.reads;
    field.owned = partition::Ownership::box(field.per_step, {{rank_, 0}, {1, field.per_step[1]}});
    SeriesSpec spec;
    spec.steps = options_.records;
    spec.fields.push_back(std::move(field));
    const Sync sync = options_.sync ? Sync::commit : Sync::none;  // with it, close() brings all to the disk
    SeriesOutput series(comm_, path, std::move(spec), run_, FileAccount{done.app, done.system, done.times}, sync);
    for (std::uint64_t number = 0; number < options_.records; ++number) {
      series.put("record", record(number));
      series.end_step(static_cast<double>(number));
    }
    series.close();
  }

  // What a client keeps of a file is its own: every rank asks.
  void bring_to_disk(const std::string& path, Done& done) {
    agree_on(comm_, [&] {
      timed(done.times.close, [&] {
        const auto store = storage::open_store(path, OpenMode::write);
        store->sync();
        store->close();
      });
    });
  }

  std::uint64_t offset_of(std::uint64_t number) const { return (number * ranks_ + rank_) * options_.record_bytes; }

  std::unique_ptr<storage::ByteStore> opened(const std::string& path, OpenMode mode, Done& done) {
    ++done.app.opens;
    system_ = std::make_shared<storage::SyscallCounters>();
    return timed(done.times.open, done.times.calls.open, [&] { return storage::open_store(path, mode, system_); });
  }
  static void write(storage::ByteStore& store, std::uint64_t at, std::span<const std::byte> bytes, Done& done) {
    timed(done.times.write, done.times.calls.write, [&] { store.write_at(at, bytes); });
    done.app.write(bytes.size());
  }
  // What the system was asked for is what the store has counted: a long write is several calls.
  void close(storage::ByteStore& store, Done& done) const {
    timed(done.times.close, done.times.calls.close, [&] { store.close(); });
    ++done.app.closes;
    add_calls(*system_, done.system);
  }

  MpiCommunicator& comm_;
  const RunOptions& run_;
  const HardOptions& options_;
  std::uint64_t rank_;
  std::uint64_t ranks_;
  std::vector<std::int64_t> record_;
  std::vector<std::byte> transfer_;
  std::shared_ptr<storage::SyscallCounters> system_;  // of the file that is open
};

}  // namespace

nlohmann::ordered_json run_hard(MpiCommunicator& comm, const RunOptions& run, const HardOptions& options) {
  KernelPlan plan;
  agree_on(comm, [&] { plan = plan_hard(options, run, static_cast<std::uint64_t>(comm.size())); });
  HardRank rank(comm, run, options);
  return run_kernel(comm, run, plan,
                    {.prepare = [&] { rank.make_values(); },
                     .output = [&](std::uint64_t phase, Done& done) { rank.output(phase, done); }});
}

}  // namespace weft::kernels::hard
