// predict/layer_bench.hpp - small runs of kernels, from which the costs of layers are told (predict/layers.hpp).
#pragma once

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/hard/hard_kernel.hpp"
#include "predict/machine.hpp"
#include "predict/measured_rates.hpp"
#include "predict/rates.hpp"
#include "predict/series_work.hpp"
#include "stores/memory_at_hand.hpp"
#include "weft/support/error.hpp"
#include "weft/support/mpi_communicator.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::predict {

// Small runs on the ranks of one group.
class Runs {
 public:
  // `seconds`: what is asked of the probe.
  Runs(MpiCommunicator& comm, std::string folder, double seconds, const std::function<bool()>& interrupted)
      : comm_(comm),
        folder_(std::move(folder)),
        most_(static_cast<int>(std::clamp(seconds / 8, 3.0, 7.0))),
        interrupted_(interrupted) {}

  struct Times {
    double output = 0;
    double first = 0;       // what the first of them took longer: libraries set themselves up
    double first_open = 0;  // of it, in the phase "open"
    double open = 0;        // a rank's, on average, as below
    double build = 0;
  };

  // The medians of three to seven, as many as half a second allows; of no more than three in a probe of less than half
  // a minute, and of fewer where one takes over five seconds. `run` has the report of a run into that place.
  template <typename Run>
  Times of(const Run& run) {
    std::vector<double> output;
    std::vector<double> open;
    std::vector<double> build;
    const double ranks = comm_.size();
    const Stopwatch clock;
    for (int time = 0; time < most_; ++time) {
      if (comm_.max(interrupted_() ? 1 : 0) == 1) {
        throw Error(ErrorKind::system, folder_, "the probe was interrupted", "nothing of it is left").agreed();
      }
      const std::string out = fmt::format("{}/run", folder_);
      begin_afresh(time > 0);
      const nlohmann::json report = run(out);
      output.push_back(report.at("seconds").at("output").get<double>());
      open.push_back(report.at("seconds").value("open", 0.0) / ranks);
      build.push_back(report.at("seconds").value("build", 0.0) / ranks);
      agree_on(comm_, [&] {
        if (comm_.rank() == 0) std::filesystem::remove_all(out);
      });
      const bool is_enough = output.back() > 5 || (time >= 2 && clock.seconds() > 0.5);
      if (comm_.max(is_enough ? 1 : 0) == 1) break;
    }
    const auto first = [](const std::vector<double>& times) { return std::max(0.0, times[0] - median(times)); };
    return {median(output), first(output), first(open), median(open), median(build)};
  }

  Times hard(kernels::hard::HardStrategy strategy, std::uint64_t records, std::uint64_t record_bytes,
             bool sync = false) {
    return of([&](const std::string& out) {
      kernels::hard::HardOptions options;
      options.strategy = strategy;
      options.records = records;
      options.record_bytes = record_bytes;
      options.sync = sync;
      return nlohmann::json(run_hard(comm_, quiet(out), options));
    });
  }

  // `chunk_nodes`: how many nodes its chunks have.
  Times heart(kernels::ecg::EcgOptions options, double* chunk_nodes = nullptr) {
    return of([&](const std::string& out) {
      agree_on(comm_, [&] { std::filesystem::create_directories(out); });
      options.out = out + "/heart.h5";
      nlohmann::json report = run_ecg(comm_.handle(), options);
      if (chunk_nodes != nullptr) *chunk_nodes = report.at("chunk").at(1).get<double>();
      return report;
    });
  }

  static kernels::RunOptions quiet(const std::string& out) {
    kernels::RunOptions run;
    run.out = out;
    run.progress = false;
    return run;
  }

  MpiCommunicator& comm() { return comm_; }

 private:
  // As in a program that has just begun: the system has memory, and this process has no more of it than before its
  // first run.
  void begin_afresh(bool has_run) const {
    constexpr std::uint64_t kMemory = 256ULL << 20;  // more than a rank takes in any of them
#ifdef __GLIBC__
    if (has_run) ::malloc_trim(0);
#endif
    stores::have_memory_at_hand(kMemory, comm_.size());
    comm_.max(0);  // or the first to have it waits for the others within the run
  }

  MpiCommunicator& comm_;
  std::string folder_;
  int most_;  // runs of one kind
  const std::function<bool()>& interrupted_;
};

// All calls from the ranks of `runs`; the costs that were told so far.
class LayerBench {
 public:
  LayerBench(Runs& runs, const stores::StoreProfile& profile)
      : runs_(runs),
        ranks_(static_cast<std::uint64_t>(runs.comm().size())),
        machine_(profile, {}, Mood::middle),
        longest_(predict::most_request_bytes(profile)),
        stdio_bytes_(predict::stdio_bytes(profile)),
        rates_(rates_of(profile, ranks_)),
        is_slow_(request(stores::Sharing::in_turn, 4096) > kSlow) {}

  Runs& runs() { return runs_; }
  std::uint64_t ranks() const { return ranks_; }
  std::uint64_t most_request_bytes() const { return longest_; }
  std::uint64_t stdio_bytes() const { return stdio_bytes_; }
  const Rates& rates() const { return rates_; }
  bool is_slow() const { return is_slow_; }
  // Calls, by this factor, where each takes long.
  std::uint64_t fewer() const { return is_slow_ ? 8 : 1; }

  // What one rank of so many waits for a request.
  double request(stores::Sharing sharing, std::uint64_t bytes) const {
    const Cost cost = machine_.request(stores::Access::write, sharing, bytes);
    return std::max(cost.alone_s, cost.share_s * static_cast<double>(ranks_));
  }
  double reserve() const { return machine_.call("reserve", ranks_).alone_s; }

  double keep(const char* name, double seconds) {
    constexpr double kNothing = 1e-9;  // less than can be told apart from the request
    seconds = std::max(seconds, kNothing);
    cells_.push_back({name, static_cast<int>(ranks_), seconds, 1 / seconds});
    return seconds;
  }
  std::vector<stores::CallCell> cells() && { return std::move(cells_); }

 private:
  static constexpr double kSlow = 5e-4;

  Runs& runs_;
  std::uint64_t ranks_;
  Machine machine_;
  std::uint64_t longest_;      // request of a series
  std::uint64_t stdio_bytes_;  // that printf gathers for a write
  Rates rates_;                // its copies and its cores; the others are not measured yet
  bool is_slow_;
  std::vector<stores::CallCell> cells_;
};

// Each keeps its costs. Collective; throw agreed errors.
void measure_mpi_layers(LayerBench& bench);
void measure_series_layers(LayerBench& bench);

}  // namespace weft::predict
