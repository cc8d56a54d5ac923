#include "predict/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include "kernels/awp/awp_kernel.hpp"
#include "kernels/blast/blast_options.hpp"
#include "kernels/blast/blast_result.hpp"
#include "kernels/blast/zlib_block.hpp"
#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/hard/hard_kernel.hpp"
#include "kernels/mhm/mhm_kernel.hpp"
#include "kernels/picmss/picmss_kernel.hpp"
#include "predict/kernel_work.hpp"
#include "predict/machine.hpp"
#include "predict/series_work.hpp"
#include "weft/exchange/window.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::predict {

namespace {

using kernels::RunOptions;
using std::chrono_literals::operator""ms;
using stores::Sharing;
using stores::StoreProfile;

// Memory that a virtual machine has not used for two seconds may have to come from the host again, and then takes ten
// times as long. A run meets both: memory that has rested so long, and memory that was just given back.
constexpr auto kRest = 2500ms;
double between_moods(double one, double other) { return std::sqrt(one * other); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Small runs on the ranks of one group.
class Runs {
 public:
  Runs(MpiCommunicator& comm, std::string folder, const std::function<bool()>& interrupted)
      : comm_(comm), folder_(std::move(folder)), interrupted_(interrupted) {}

  struct Times {
    double output = 0;
    double first = 0;  // what the first of them took longer: libraries set themselves up
    double open = 0;   // a rank's, on average, as below
    double build = 0;
  };

  // The medians of three; of two where one takes over five seconds. `run` has the report of a run into that place.
  template <typename Run>
  Times of(const Run& run) {
    std::vector<double> output;
    std::vector<double> open;
    std::vector<double> build;
    const double ranks = comm_.size();
    for (int time = 0; time < 3; ++time) {
      if (comm_.max(interrupted_() ? 1 : 0) == 1) {
        throw Error(ErrorKind::system, folder_, "the probe was interrupted", "nothing of it is left").agreed();
      }
      const std::string out = fmt::format("{}/run", folder_);
      const nlohmann::json report = run(out);
      output.push_back(report.at("seconds").at("output").get<double>());
      open.push_back(report.at("seconds").value("open", 0.0) / ranks);
      build.push_back(report.at("seconds").value("build", 0.0) / ranks);
      agree_on(comm_, [&] {
        if (comm_.rank() == 0) std::filesystem::remove_all(out);
      });
      if (comm_.max(output.back() > 5 ? 1 : 0) == 1) break;
    }
    return {median(output), std::max(0.0, output[0] - median(output)), median(open), median(build)};
  }

  Times hard(kernels::hard::HardStrategy strategy, std::uint64_t records, std::uint64_t record_bytes) {
    return of([&](const std::string& out) {
      kernels::hard::HardOptions options;
      options.strategy = strategy;
      options.records = records;
      options.record_bytes = record_bytes;
      return nlohmann::json(run_hard(comm_, quiet(out), options));
    });
  }

  static RunOptions quiet(const std::string& out) {
    RunOptions run;
    run.out = out;
    run.progress = false;
    return run;
  }

  MpiCommunicator& comm() { return comm_; }

 private:
  MpiCommunicator& comm_;
  std::string folder_;
  const std::function<bool()>& interrupted_;
};

// All calls from the ranks of `runs`.
class Layers {
 public:
  Layers(Runs& runs, const StoreProfile& profile)
      : runs_(runs),
        ranks_(static_cast<std::uint64_t>(runs.comm().size())),
        machine_(profile, {}, Mood::middle),
        longest_(most_request_bytes(profile)),
        fewer_(request(Sharing::in_turn, 4096) > kSlow ? 8 : 1) {}

  std::vector<stores::CallCell> measure() {
    collective_writes();
    pieces();
    values();
    text();
    series();
    heart();
    return std::move(cells_);
  }

 private:
  static constexpr double kSlow = 5e-4;

  // What one rank of so many waits for a request.
  double request(Sharing sharing, std::uint64_t bytes) const {
    const Cost cost = machine_.request(stores::Access::write, sharing, bytes);
    return std::max(cost.alone_s, cost.share_s * static_cast<double>(ranks_));
  }

  double keep(const char* name, double seconds) {
    constexpr double kNothing = 1e-9;  // less than can be told apart from the request
    seconds = std::max(seconds, kNothing);
    cells_.push_back({name, static_cast<int>(ranks_), seconds, 1 / seconds});
    return seconds;
  }

  void collective_writes() {
    using enum kernels::hard::HardStrategy;
    struct Names {
      kernels::hard::HardStrategy strategy;
      const char* start;
      const char* open;
      const char* round;
      const char* mebibyte;
    };
    for (const Names& names : {Names{collective, "mpi start", "mpi open", "mpi round", "mpi MiB"},
                               Names{hdf5, "hdf5 start", "hdf5 create", "hdf5 step", "hdf5 MiB"}}) {
      constexpr std::uint64_t kSmall = 4096;
      constexpr std::uint64_t kLarge = 64ULL << 10;
      const std::uint64_t small_more = 128 / fewer_;
      const std::uint64_t large_more = 64 / fewer_;
      const Runs::Times few = runs_.hard(names.strategy, 8, kSmall);
      const double small =
          (runs_.hard(names.strategy, 8 + small_more, kSmall).output - few.output) / static_cast<double>(small_more);
      const double large =
          (runs_.hard(names.strategy, 8 + large_more, kLarge).output - runs_.hard(names.strategy, 8, kLarge).output) /
          static_cast<double>(large_more);
      keep(names.start, few.first);
      keep(names.open, few.output - 8 * std::max(small, 0.0));
      const double beyond = keep(names.round, small - request(Sharing::in_turn, kSmall));
      keep(names.mebibyte, (large - request(Sharing::in_turn, kLarge) - beyond) * (1ULL << 20) / kLarge);
    }
  }

  void pieces() {
    if (ranks_ == 1) return;  // a rank alone has its block in one piece
    kernels::awp::AwpOptions options;
    options.grid = {128 * ranks_, 16, 8};
    options.processes = kernels::Extent{ranks_, 1, 1};
    options.skip = 1;
    options.variables = 1;
    const auto times = [&](kernels::awp::AwpStrategy strategy, std::uint64_t steps) {
      options.strategy = strategy;
      options.steps_per_file = steps;
      return runs_.of(
          [&](const std::string& out) { return nlohmann::json(run_awp(runs_.comm(), Runs::quiet(out), options)); });
    };
    using enum kernels::awp::AwpStrategy;
    const std::uint64_t more = 8 / fewer_;
    const double pieces = 16.0 * 8 * static_cast<double>(more);
    const double each = (times(subarray, 2 + more).output - times(subarray, 2).output) / pieces;
    keep("mpi piece", each - request(Sharing::in_turn, 128 * sizeof(float)));
    keep("mpi type of a value", (times(hindexed, 2 + more).build - times(hindexed, 2).build) / (pieces * 128));
  }

  // An array of a few values, and what each value adds: of a grid that a processor's cache holds, and of one that it
  // does not.
  void values() {
    using enum kernels::picmss::PicmssStrategy;
    for (const auto& [strategy, array, value, of_many] :
         {std::tuple{typed, "mpi array", "mpi value in memory", "mpi value of many"},
          std::tuple{typed_collective, "mpi array together", "mpi value together", "mpi value of many together"}}) {
      const std::uint64_t few_edge = 12;
      const std::uint64_t edge = fewer_ == 1 ? 32 : 16;
      const double few = array_of(strategy, few_edge);
      const auto values = [&](std::uint64_t along) {
        return static_cast<double>(along * along * along) / static_cast<double>(ranks_);
      };
      const double each = std::max(0.0, array_of(strategy, edge) - few) / (values(edge) - values(few_edge));
      keep(array, few - each * values(few_edge));
      keep(value, each);
      if (fewer_ == 1) keep(of_many, (array_of(strategy, 80) - few) / (values(80) - values(few_edge)));
    }
  }

  // Seconds of an array of a step, beyond its request.
  double array_of(kernels::picmss::PicmssStrategy strategy, std::uint64_t edge) {
    kernels::picmss::PicmssOptions options;
    options.strategy = strategy;
    options.grid = {edge, edge, edge};
    const auto seconds = [&](std::uint64_t steps) {
      options.steps = steps;
      return runs_
          .of([&](const std::string& out) {
            return nlohmann::json(run_picmss(runs_.comm(), Runs::quiet(out), options));
          })
          .output;
    };
    const std::uint64_t more = fewer_ > 1 ? 1 : edge < 32 ? 20 : edge > 32 ? 1 : 5;
    const double written = request(Sharing::apart, edge * edge * edge / ranks_ * sizeof(double));
    return (seconds(1 + more) - seconds(1)) / static_cast<double>(6 * more) - written;
  }

  void text() {
    kernels::mhm::MhmOptions options;
    options.strategy = kernels::mhm::MhmStrategy::shared;
    const auto seconds = [&](std::uint64_t sub_elements) {
      options.shape = {.ccross = 1, .sub_elements = sub_elements, .dims = 3};
      return runs_
          .of([&](const std::string& out) { return nlohmann::json(run_mhm(runs_.comm(), Runs::quiet(out), options)); })
          .output;
    };
    const auto values = [](std::uint64_t sub) { return static_cast<double>((sub + 1) * (sub + 2) / 2); };
    const double problems = 4.0 / static_cast<double>(std::min<std::uint64_t>(ranks_, 4));
    const std::uint64_t more = fewer_ == 1 ? 32 : 14;
    const double each = (seconds(more) - seconds(8)) / (problems * (values(more) - values(8)));
    keep("mpi write", each - request(Sharing::apart, kernels::mhm::kValueBytes));
  }

  void series() {
    const Runs::Times one = runs_.hard(kernels::hard::HardStrategy::series, 8, 4096);
    keep("series create", one.open);
    keep("series close", one.output - one.open);
    kernels::picmss::PicmssOptions options;
    options.strategy = kernels::picmss::PicmssStrategy::series;
    options.grid = {12, 12, 12};
    options.steps = 2;
    const Runs::Times six = runs_.of(
        [&](const std::string& out) { return nlohmann::json(run_picmss(runs_.comm(), Runs::quiet(out), options)); });
    keep("series field", (six.open - one.open) / 5);
    keep("series field's close", (six.output - six.open - one.output + one.open) / 5);
    windows(one.output);
  }

  // What a rank puts goes through windows, whose memory is new.
  void windows(double beside) {
    const std::uint64_t bytes = (64ULL << 20) / fewer_;  // of a rank
    constexpr std::uint64_t kRecord = 64ULL << 10;
    std::this_thread::sleep_for(kRest);
    const Runs::Times times = runs_.hard(kernels::hard::HardStrategy::series, bytes / kRecord, kRecord);
    const double seconds = between_moods(times.output, times.output + times.first);
    kernels::hard::HardOptions options;
    options.records = bytes / kRecord;
    options.record_bytes = kRecord;
    double written = 0;
    const Workload work = work_of(options, RunOptions{}, {.ranks = ranks_, .most_request_bytes = longest_});
    for (const Step& step : work.groups[0].steps) {
      if (step.act == Act::write) written += step.times * request(step.sharing, step.bytes);
      if (step.call == "reserve") written += step.times * machine_.call("reserve", ranks_).alone_s;
    }
    keep("series MiB", (seconds - beside - written) / static_cast<double>(bytes >> 20));
  }

  // Series that HDF5 writes: each step in one piece of a rank, or in many.
  void heart() {
    constexpr std::uint64_t kNodes = 4000;  // of a rank
    kernels::ecg::EcgOptions options;
    options.mpi.strategy = Strategy::per_step;
    options.nodes = kNodes * ranks_;
    options.mesh = false;
    options.writer.sync = Sync::none;
    options.progress = false;
    double chunk_nodes = 0;
    const auto seconds = [&](LayoutKind layout, std::uint64_t steps) {
      options.layout.kind = layout;
      options.layout.target_bytes = 64ULL << 10;
      options.steps = steps;
      return runs_
          .of([&](const std::string& out) {
            agree_on(runs_.comm(), [&] { std::filesystem::create_directories(out); });
            options.out = out + "/heart.h5";
            nlohmann::json report = run_ecg(runs_.comm().handle(), options);
            chunk_nodes = report.at("chunk").at(1).get<double>();
            return report;
          })
          .output;
    };
    const double few = seconds(LayoutKind::rows, 8);
    const std::uint64_t more = fewer_ == 1 ? 128 : 4;
    const double each = (seconds(LayoutKind::rows, 8 + more) - few) / static_cast<double>(more);
    keep("series open", few - 8 * each);
    const double step = keep("series step", each - request(Sharing::apart, kNodes * 16));
    const double fewer = seconds(LayoutKind::isotropic, 8);
    const double scattered = (seconds(LayoutKind::isotropic, 8 + more) - fewer) / static_cast<double>(more);
    const double pieces = kNodes / std::min(chunk_nodes, double(kNodes));
    const auto bytes = static_cast<std::uint64_t>(kNodes * 16 / pieces);
    keep("series piece", (scattered - step) / pieces - request(Sharing::in_turn, bytes));
  }

  Runs& runs_;
  std::uint64_t ranks_;
  Machine machine_;
  std::uint64_t longest_;  // request of a series
  std::uint64_t fewer_;    // calls, by this factor, where each takes long
  std::vector<stores::CallCell> cells_;
};

template <typename Work>
double rate_of(std::uint64_t bytes, const Work& work, std::chrono::milliseconds idle = {}) {
  std::vector<double> rates;
  for (int time = 0; time < 3; ++time) {
    std::this_thread::sleep_for(idle);
    const Stopwatch clock;
    work();
    rates.push_back(static_cast<double>(bytes) / clock.seconds());
  }
  return median(rates);
}

std::map<std::string, double> measured_rates() {
  std::map<std::string, double> rates;
  const std::vector<std::byte> from(64ULL << 20, std::byte{1});
  const auto copy_to_fresh = [&] {
    const exchange::PageMemory fresh(from.size());
    std::memcpy(fresh.data(), from.data(), from.size());
  };
  rates["fresh copy"] = between_moods(rate_of(from.size(), copy_to_fresh, kRest), rate_of(from.size(), copy_to_fresh));
  const std::unique_ptr<FILE, int (*)(FILE*)> nowhere(std::fopen("/dev/null", "w"), std::fclose);
  constexpr std::uint64_t kValues = 100'000;
  rates["format"] = rate_of(kValues * kernels::mhm::kValueBytes, [&] {
    for (std::uint64_t i = 0; i < kValues; ++i) {
      std::fprintf(nowhere.get(), "%12.5e\n", static_cast<double>(i * 7919 % 100'003) / 100'003);
    }
  });
  kernels::blast::BlastOptions options;
  const kernels::blast::ResultSpec spec = result_spec(options, RunOptions{});
  std::string results;
  for (std::uint64_t task = 0; task < 20; ++task) append_result(results, spec, task);
  const std::uint64_t bytes = results.size();
  rates["results"] = rate_of(bytes, [&] {
    std::string again;
    for (std::uint64_t task = 0; task < 20; ++task) append_result(again, spec, task);
  });
  rates["zlib"] = rate_of(bytes, [&] { kernels::blast::zlib_block(results, kernels::blast::Codec::zlib); });
  rates["libdeflate"] = rate_of(bytes, [&] { kernels::blast::zlib_block(results, kernels::blast::Codec::libdeflate); });
  return rates;
}

// Bytes a second of messages from rank 1 to rank 0, one at a time; 0 where they are not on one node. Collective.
double message_rate(MpiCommunicator& comm) {
  constexpr int kMessages = 64;
  if (comm.size() < 2 || comm.nodes()[0] != comm.nodes()[1]) return 0;
  std::vector<std::byte> bytes(comm.rank() < 2 ? 256ULL << 10 : 0, std::byte{1});
  return rate_of(kMessages * bytes.size(), [&] {
    comm.max(0);
    for (int message = 0; message < kMessages; ++message) {
      if (comm.rank() == 0) comm.exchange({}, std::array{Incoming{1, bytes}});
      if (comm.rank() == 1) comm.exchange(std::array{Outgoing{0, bytes}}, {});
    }
  });
}

// Rank 0's figures, on all ranks. Collective.
void share(Communicator& comm, StoreProfile& profile) {
  std::vector<std::byte> text;
  if (comm.rank() == 0) {
    const std::string words = stores::to_json(profile).dump();
    const auto bytes = std::as_bytes(std::span(words));
    text.assign(bytes.begin(), bytes.end());
  }
  comm.broadcast(text, 0);
  const std::string words(reinterpret_cast<const char*>(text.data()), text.size());
  profile = stores::profile_from_json(nlohmann::ordered_json::parse(words), "the profile of rank 0");
}

}  // namespace

void measure_layers(MpiCommunicator& comm, const std::string& folder, const std::function<bool()>& interrupted,
                    StoreProfile& profile) {
  const auto add = [&](MpiCommunicator& ranks) {
    Runs runs(ranks, folder, interrupted);
    for (stores::CallCell& cell : Layers(runs, profile).measure()) profile.calls.push_back(std::move(cell));
  };
  if (comm.size() > 1) {
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Comm_split(comm.handle(), comm.rank() == 0 ? 0 : MPI_UNDEFINED, 0, &alone);
    agree_on(comm, [&] {
      if (alone == MPI_COMM_NULL) return;
      MpiCommunicator one(alone);
      add(one);
    });
    if (alone != MPI_COMM_NULL) MPI_Comm_free(&alone);
  }
  add(comm);
  agree_on(comm, [&] {
    if (comm.rank() == 0) profile.rates = measured_rates();
  });
  if (const double rate = message_rate(comm); comm.rank() == 0 && rate > 0) profile.rates["message"] = rate;
  share(comm, profile);
}

}  // namespace weft::predict
