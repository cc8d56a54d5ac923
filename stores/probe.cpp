#include "stores/probe.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "stores/memory_at_hand.hpp"
#include "stores/passes.hpp"
#include "stores/scratch_folder.hpp"
#include "stores/striping.hpp"
#include "stores/timed_file.hpp"
#include "weft/partition/writers.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/storage/flusher.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::stores {

namespace {

constexpr std::uint64_t kLong = 32ULL << 10;         // requests that may fill a cell's part of the file in its time
constexpr std::uint64_t kShortsBytes = 64ULL << 20;  // more than shorter ones write in a cell
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kEdgesBytes = 1ULL << 20;  // of a rank
constexpr std::uint64_t kRecordBytes = 47'008;     // no whole pages, as in IO500's ior-hard

// A number of every rank's, on all of them. Collective.
std::vector<double> of_all(Communicator& comm, double mine) {
  const std::vector<std::byte> bytes = gather_from_all(comm, std::as_bytes(std::span(&mine, 1)));
  std::vector<double> all(bytes.size() / sizeof mine);
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

std::uint64_t free_bytes(const std::string& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) throw system_error(folder, "cannot be looked at", errno);
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

std::uint64_t block_of(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blksize) : 0;
}

class Probe {
 public:
  // `fills_cache`: what is written stays in the memory of this machine at first.
  Probe(Communicator& comm, std::string folder, const ProbePlan& plan, bool fills_cache)
      : comm_(comm), folder_(std::move(folder)), plan_(plan), fills_cache_(fills_cache), rank_(comm.rank()) {
    agree_on(comm_, [&] {
      for (const Sharing sharing : {Sharing::own_files, Sharing::apart}) {
        const std::string suffix = sharing == Sharing::own_files ? fmt::format("own-{}", rank_) : "shared";
        written_[sharing] = std::make_unique<TimedFile>(fmt::format("{}/written-{}", folder_, suffix));
        read_[sharing] = std::make_unique<TimedFile>(fmt::format("{}/read-{}", folder_, suffix));
      }
    });
  }

  // What reads find, on the disk and not in memory. Collective.
  void fill() {
    constexpr std::uint64_t kPiece = 1ULL << 20;
    std::vector<std::byte> bytes(kPiece);
    std::mt19937_64 random(static_cast<std::uint64_t>(rank_) + 1);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    agree_on(comm_, [&] {
      for (const auto& [sharing, file] : read_) {
        const std::uint64_t begin = sharing == Sharing::own_files ? 0 : first_of(rank_);
        for (std::uint64_t at = 0; at < plan_.part_bytes; at += kPiece) file->write(begin + at, bytes);
        file->sync();
      }
    });
  }

  // One pass of a cell. Collective.
  Pass measure(const RequestCell& cell, std::mt19937_64& random) {
    const bool takes_part = rank_ < cell.ranks;
    TimedFile& file = file_of(cell);
    std::vector<std::uint64_t> offsets = offsets_of(cell);
    if (cell.access == Access::read) std::ranges::shuffle(offsets, random);
    agree_on(comm_, [&] { prepare(cell, file, takes_part); });
    if (cell.access == Access::write && fills_cache_ && cell.bytes >= kLong) {
      // Once before, untimed: what a page cache had for the same writes it has at hand.
      agree_on(comm_, [&] {
        if (takes_part) time_requests(file, cell.access, cell.bytes, offsets, cell.threads, plan_.cell_seconds);
      });
      agree_on(comm_, [&] { empty(cell, file, takes_part); });
    }
    if (cell.sharing == Sharing::directly && cell.bytes <= kPage) {
      // The edges of a series' long writes, its times and its slots share pages with what is there.
      offsets.resize(kEdgesBytes / cell.bytes);
      const std::vector<std::byte> there(kEdgesBytes, std::byte{1});
      agree_on(comm_, [&] {
        if (takes_part) file.write(offsets[0], there);
      });
    }
    Timings timings;
    agree_on(comm_, [&] {  // all ranks begin here
      if (takes_part) {
        timings = cell.sharing == Sharing::directly && cell.bytes >= storage::kWorthDirectAfar
                      ? time_direct_writes(file.path(), cell.bytes, offsets, plan_.cell_seconds)
                      : time_requests(file, cell.access, cell.bytes, offsets, cell.threads, plan_.cell_seconds);
      }
    });
    Pass pass;
    pass.requests = comm_.sum(timings.seconds.size());
    pass.request_s = middle_of(cell.ranks, timings.quantile(0.5));
    pass.late_s = middle_of(cell.ranks, timings.quantile(0.95));
    const std::vector<double> elapsed = of_all(comm_, timings.elapsed);
    pass.elapsed_s = std::max(*std::ranges::max_element(elapsed), 1e-9);
    pass.bytes_per_s = static_cast<double>(pass.requests * cell.bytes) / pass.elapsed_s;
    return pass;
  }

  // Seconds of the median call, and calls a second. Collective.
  std::pair<double, double> measure(const CallCell& cell) {
    std::vector<double> seconds;
    const Stopwatch clock;
    agree_on(comm_, [&] {
      if (rank_ < cell.ranks) seconds = time_calls(cell.call);
    });
    const std::vector<double> spent = of_all(comm_, std::accumulate(seconds.begin(), seconds.end(), 0.0));
    const std::uint64_t calls = comm_.sum(seconds.size());
    const double longest = *std::ranges::max_element(spent);
    return {middle_of(cell.ranks, median(seconds)), static_cast<double>(calls) / std::max(longest, 1e-9)};
  }

  // Bytes a second of a sync after writes of so many bytes: of rank 0 alone, or of several at once, each of a file of
  // its own. Collective.
  double sync_speed(std::uint64_t request_bytes, int ranks) {
    const std::vector<std::byte> bytes(request_bytes, std::byte{0x5a});
    std::vector<double> speeds;
    for (int time = 0; time < 3; ++time) {
      double written = 0;
      double seconds = 0;
      TimedFile& file = *written_[Sharing::own_files];
      agree_on(comm_, [&] {
        if (rank_ >= ranks) return;
        file.set_size(0);
        for (std::uint64_t at = 0; at < plan_.part_bytes; at += bytes.size()) file.write(at, bytes);
        written = static_cast<double>(ceil_div(plan_.part_bytes, bytes.size()) * bytes.size());
      });
      agree_on(comm_, [&] {
        if (rank_ < ranks) seconds = file.sync();
      });
      const std::vector<double> all = of_all(comm_, seconds);
      speeds.push_back(of_all(comm_, written)[0] * ranks / std::max(*std::ranges::max_element(all), 1e-9));
    }
    return median(speeds);
  }

  std::string some_file() const { return folder_ + "/read-own-0"; }

 private:
  std::uint64_t first_of(int rank) const { return static_cast<std::uint64_t>(rank) * plan_.part_bytes; }

  TimedFile& file_of(const RequestCell& cell) {
    const Sharing which = cell.sharing == Sharing::own_files ? Sharing::own_files : Sharing::apart;
    return cell.access == Access::read ? *read_[which] : *written_[which];
  }

  std::vector<std::uint64_t> offsets_of(const RequestCell& cell) const {
    std::vector<std::uint64_t> offsets;
    const bool writes = cell.access == Access::write;
    const std::uint64_t part = writes ? plan_.written_bytes : plan_.part_bytes;
    for (std::uint64_t n = 0; n < part / cell.bytes; ++n) {
      const auto in_turn = n * static_cast<std::uint64_t>(cell.ranks) + static_cast<std::uint64_t>(rank_);
      switch (cell.sharing) {
        case Sharing::own_files: offsets.push_back(n * cell.bytes); break;
        case Sharing::apart:
        case Sharing::directly: offsets.push_back(static_cast<std::uint64_t>(rank_) * part + n * cell.bytes); break;
        case Sharing::in_turn: offsets.push_back(in_turn * cell.bytes); break;
      }
    }
    return offsets;
  }

  // For new bytes, as those of a simulation are.
  void empty(const RequestCell& cell, TimedFile& file, bool takes_part) const {
    if (cell.sharing == Sharing::own_files ? takes_part : rank_ == 0) file.set_size(0);
    // A series' file has its length from the beginning, and to make one longer costs some stores a request.
    const std::uint64_t length = static_cast<std::uint64_t>(cell.ranks) * plan_.written_bytes;
    if (cell.sharing == Sharing::directly && rank_ == 0) file.set_size(length);
  }

  void prepare(const RequestCell& cell, TimedFile& file, bool takes_part) {
    if (cell.access == Access::write) {
      empty(cell, file, takes_part);
      if (takes_part) have_memory_at_hand(cell.bytes < kLong ? kShortsBytes : plan_.written_bytes, comm_.size());
      return;
    }
    if (!takes_part) return;
    file.drop_cache();
    if (!cell.cached) return;
    std::vector<std::byte> bytes(plan_.part_bytes);
    file.read(0, bytes);
  }

  // The median over the ranks that take part. Collective.
  double middle_of(int ranks, double mine) {
    std::vector<double> all = of_all(comm_, mine);
    all.resize(static_cast<std::size_t>(ranks));
    return median(std::move(all));
  }

  // What cells have written is not to reach the disk while small files are made.
  void quieten() {
    for (const auto& [sharing, file] : written_) {
      if (sharing == Sharing::own_files || rank_ == 0) {
        file->set_size(0);
        file->sync();
      }
    }
  }

  // A name that no file had before.
  std::string small_file() { return fmt::format("{}/small-{}-{}", folder_, rank_, small_files_++); }

  static void open_and_close(const std::string& file, int flags) {
    const int descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0644);
    if (descriptor < 0) throw system_error(file, "cannot be opened", errno);
    ::close(descriptor);
  }

  // "stat" and "open" are of the files that the last "create" made, "remove" of the oldest that are there: ext4 looks
  // through all that were removed in the last minutes when it makes a file, so they stay until all others are made.
  std::vector<double> time_calls(const std::string& call) {
    constexpr int kFiles = 64;
    std::vector<double> seconds;
    const Stopwatch all;
    const auto timed = [&](const auto& action) {
      const Stopwatch clock;
      action();
      seconds.push_back(clock.seconds());
    };
    const auto goes_on = [&](int done) { return done < kFiles && (done < 3 || all.seconds() < plan_.cell_seconds); };
    if (call == "create") {
      quieten();
      std::vector<std::string>& files = created_.emplace_back();
      for (int n = 0; goes_on(n); ++n) {
        files.push_back(small_file());
        timed([&] { open_and_close(files.back(), O_WRONLY | O_CREAT); });
      }
    }
    if (call == "make") {
      const std::vector<std::byte> page(4096, std::byte{1});
      for (int n = 0; goes_on(n); ++n) {
        const std::string file = small_file();
        timed([&] { TimedFile(file).write(0, page); });
      }
    }
    if (call == "stat") {
      struct stat status {};
      for (const std::string& file : created_.back()) timed([&] { ::stat(file.c_str(), &status); });
    }
    if (call == "open") {
      for (const std::string& file : created_.back()) timed([&] { open_and_close(file, O_RDONLY); });
    }
    if (call == "remove") {
      for (const std::string& file : created_.front()) timed([&] { ::unlink(file.c_str()); });
      created_.pop_front();
    }
    if (call == "reserve") {
      TimedFile& file = *written_[Sharing::own_files];
      file.set_size(0);
      for (int n = 0; goes_on(n); ++n) timed([&] { file.reserve(static_cast<std::uint64_t>(n) << 20, 1ULL << 20); });
    }
    if (call == "sync") {
      const std::vector<std::byte> page(4096, std::byte{1});
      TimedFile& file = *written_[Sharing::own_files];
      for (int n = 0; goes_on(n); ++n) {
        file.write(0, page);
        seconds.push_back(file.sync());
      }
    }
    return seconds;
  }

  Communicator& comm_;
  std::string folder_;
  const ProbePlan& plan_;
  bool fills_cache_;
  int rank_;
  std::map<Sharing, std::unique_ptr<TimedFile>> written_;  // own, and shared
  std::map<Sharing, std::unique_ptr<TimedFile>> read_;
  int small_files_ = 0;
  std::deque<std::vector<std::string>> created_;  // by each "create", in order
};

double copy_speed() {
  const std::vector<std::byte> from(64ULL << 20, std::byte{1});
  std::vector<std::byte> to(from.size());
  std::vector<double> speeds;
  for (int time = 0; time < 3; ++time) {
    const Stopwatch clock;
    std::memcpy(to.data(), from.data(), from.size());
    speeds.push_back(static_cast<double>(from.size()) / clock.seconds());
  }
  return median(speeds);
}

}  // namespace

StoreProfile probe(Communicator& comm, const std::string& folder, const ProbeOptions& options,
                   const ProbeSurroundings& surroundings) {
  std::uint64_t free = 0;
  agree_on(comm, [&] { free = free_bytes(folder); });
  free = comm.min(free);
  ProbePlan plan;
  const storage::FileSystem system = storage::file_system_of(folder + "/x");
  const bool writes_directly = system.direct_gain() == storage::DirectGain::large_requests;
  agree_on(comm, [&] { plan = plan_probe(folder, options, comm.size(), free, writes_directly); });

  std::optional<ScratchFolder> scratch;
  std::vector<std::byte> name;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    scratch.emplace(folder, surroundings.program, "clean-up-after");
    const auto path = std::as_bytes(std::span(scratch->path()));
    name.assign(path.begin(), path.end());
  });
  comm.broadcast(name, 0);
  Probe measuring(comm, {reinterpret_cast<const char*>(name.data()), name.size()}, plan, system.one_machine());
  measuring.fill();

  // In an order that is drawn anew for each pass, the same on all ranks.
  std::mt19937_64 order_random(options.seed);
  std::mt19937_64 random(options.seed + 1 + static_cast<std::uint64_t>(comm.rank()));
  std::vector<std::vector<Pass>> passes(plan.requests.size());
  std::vector<std::vector<double>> call_s(plan.calls.size());
  std::vector<std::vector<double>> calls_per_s(plan.calls.size());
  const std::uint64_t all = (plan.requests.size() + plan.calls.size()) * static_cast<std::uint64_t>(plan.passes);
  std::uint64_t done = 0;
  const auto between = [&] {
    if (comm.max(surroundings.interrupted() ? 1 : 0) == 1) {
      throw Error(ErrorKind::system, folder, "the probe was interrupted", "nothing of it is left").agreed();
    }
    if (comm.rank() == 0) surroundings.progress(++done, all);
  };
  const auto call_each = [&](bool removes) {
    for (std::size_t cell = 0; cell < plan.calls.size(); ++cell) {
      if ((plan.calls[cell].call == "remove") != removes) continue;
      between();
      const auto [one, per_second] = measuring.measure(plan.calls[cell]);
      call_s[cell].push_back(one);
      calls_per_s[cell].push_back(per_second);
    }
  };
  for (int pass = 0; pass < plan.passes; ++pass) {
    std::vector<std::size_t> order(plan.requests.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, order_random);
    for (const std::size_t cell : order) {
      between();
      passes[cell].push_back(measuring.measure(plan.requests[cell], random));
    }
    call_each(false);
  }
  for (int pass = 0; pass < plan.passes; ++pass) call_each(true);

  StoreProfile profile;
  profile.file_system = system.type;
  profile.name = system.type;
  profile.taken = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  profile.ranks = comm.size();
  profile.nodes = partition::Writers(comm.nodes(), {}).nodes();
  profile.cores = static_cast<int>(comm.min(static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_NPROCESSORS_ONLN)))));
  profile.striping = striping_of(measuring.some_file());
  profile.block_bytes = block_of(measuring.some_file());
  profile.sync_bytes_per_s = measuring.sync_speed(1ULL << 20, 1);
  profile.sync_records_bytes_per_s = measuring.sync_speed(kRecordBytes, 1);
  profile.rates["sync together"] = measuring.sync_speed(1ULL << 20, comm.size());
  profile.rates["sync records together"] = measuring.sync_speed(kRecordBytes, comm.size());
  profile.copy_bytes_per_s = of_all(comm, copy_speed())[0];
  for (std::size_t cell = 0; cell < plan.requests.size(); ++cell) {
    RequestCell measured = of_passes(plan.requests[cell], passes[cell]);
    // Where servers refuse direct writes a series goes through the cache, and there is nothing to say of them.
    if (measured.requests > 0) profile.requests.push_back(measured);
  }
  for (std::size_t cell = 0; cell < plan.calls.size(); ++cell) {
    profile.calls.push_back(
        {plan.calls[cell].call, plan.calls[cell].ranks, median(call_s[cell]), median(calls_per_s[cell])});
  }
  comm.max(0);  // before the files go
  return profile;
}

}  // namespace weft::stores
