#include <cmath>
#include <cstdint>

#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/picmss/picmss_kernel.hpp"
#include "predict/kernel_work.hpp"
#include "predict/layer_bench.hpp"

namespace weft::predict {

namespace {

using stores::Sharing;

// What a rank puts goes through windows. Beyond what copying and writing take, whichever is longer where a thread of
// its own writes, each costs the waking of that thread and of the rank.
void windows(LayerBench& bench, double beside) {
  bench.keep("series MiB", (1ULL << 20) / fresh_copy_rate(bench.runs().comm()));
  const std::uint64_t bytes = (64ULL << 20) / bench.fewer();  // of a rank
  constexpr std::uint64_t kRecord = 64ULL << 10;
  const Runs::Times times = bench.runs().hard(kernels::hard::HardStrategy::series, bytes / kRecord, kRecord);
  kernels::hard::HardOptions options;
  options.records = bytes / kRecord;
  options.record_bytes = kRecord;
  double written = 0;
  double windows = 0;
  const Workload work = work_of(options, kernels::RunOptions{},
                                {.ranks = bench.ranks(), .most_request_bytes = bench.most_request_bytes()});
  for (const Step& step : work.groups[0].steps) {
    if (step.act == Act::write) written += step.times * bench.request(step.sharing, step.bytes);
    if (step.call == "reserve") written += step.times * bench.reserve();
    if (step.call == "series window") windows += step.times;
  }
  const double behind = written * bench.rates().behind;
  const double busy = std::max(static_cast<double>(bytes) / bench.rates().copy + written - behind, behind);
  // Where a request takes milliseconds it cannot be told.
  bench.keep("series window", bench.is_slow() ? 0 : (times.output - beside - busy) / windows);
}

void series(LayerBench& bench) {
  const Runs::Times one = bench.runs().hard(kernels::hard::HardStrategy::series, 8, 4096);
  bench.keep("series start", one.first_open);
  bench.keep("series create", one.open);
  bench.keep("series close", one.output - one.open);
  const Runs::Times synced = bench.runs().hard(kernels::hard::HardStrategy::series, 8, 4096, true);
  bench.keep("series sync", synced.output - one.output);
  kernels::picmss::PicmssOptions options;
  options.strategy = kernels::picmss::PicmssStrategy::series;
  options.grid = {12, 12, 12};
  options.steps = 2;
  const Runs::Times six = bench.runs().of([&](const std::string& out) {
    return nlohmann::json(run_picmss(bench.runs().comm(), Runs::quiet(out), options));
  });
  bench.keep("series field", (six.open - one.open) / 5);
  bench.keep("series field's close", (six.output - six.open - one.output + one.open) / 5);
  windows(bench, one.output);
}

// Its datasets and their attributes; the numbers of so few nodes are one short request.
void mesh(LayerBench& bench, kernels::ecg::EcgOptions options) {
  options.nodes = 64 * bench.ranks();
  options.steps = 1;
  const auto seconds = [&](bool with_mesh) {
    options.mesh = with_mesh;
    return bench.runs().heart(options).output;
  };
  const double without = seconds(false);
  bench.keep("series mesh", seconds(true) - without - bench.request(Sharing::apart, 4096));
}

// Series that HDF5 writes: each step in one piece of a rank, or in many.
void heart(LayerBench& bench) {
  constexpr std::uint64_t kNodes = 4000;        // of a rank
  constexpr std::uint64_t kMany = 64ULL << 10;  // a MiB of a rank
  kernels::ecg::EcgOptions options;
  options.mpi.strategy = Strategy::per_step;
  options.mesh = false;
  options.writer.sync = Sync::none;
  options.progress = false;
  double chunk_nodes = 0;
  const auto seconds = [&](LayoutKind layout, std::uint64_t steps, std::uint64_t nodes) {
    options.layout.kind = layout;
    options.nodes = nodes * bench.ranks();
    options.layout.target_bytes = 64ULL << 10;
    options.steps = steps;
    return bench.runs().heart(options, &chunk_nodes).output;
  };
  const double few = seconds(LayoutKind::rows, 8, kNodes);
  const std::uint64_t more = bench.is_slow() ? 4 : 128;
  const double each = (seconds(LayoutKind::rows, 8 + more, kNodes) - few) / static_cast<double>(more);
  bench.keep("series open", few - 8 * each);
  const double step = bench.keep("series step", each - bench.request(Sharing::apart, kNodes * 16));
  const std::uint64_t many_more = bench.is_slow() ? 2 : 32;
  const double long_step = (seconds(LayoutKind::rows, 8 + many_more, kMany) - seconds(LayoutKind::rows, 8, kMany)) /
                           static_cast<double>(many_more);
  const double copied = (1ULL << 20) / bench.rates().copy;
  bench.keep("series step MiB", long_step - step - copied - bench.request(Sharing::apart, 1ULL << 20));
  // More steps have other chunks: each of the two runs has pieces of its own.
  struct Pieces {
    double seconds;
    double count;    // of a rank
    double written;  // seconds that they take as requests
  };
  const auto pieces = [&](std::uint64_t steps) {
    const double taken = seconds(LayoutKind::isotropic, steps, kNodes);
    const auto ranks = static_cast<double>(bench.ranks());
    const double chunks = std::ceil(kNodes * ranks / chunk_nodes);  // of a step; two ranks have a part of some
    const double of_a_step = (chunks + ranks - 1) / ranks;
    const double count = of_a_step * static_cast<double>(steps);
    const auto bytes = static_cast<std::uint64_t>(kNodes * 16 / of_a_step);
    return Pieces{taken, count, count * bench.request(Sharing::in_turn, bytes)};
  };
  const Pieces fewer = pieces(8);
  const Pieces many = pieces(8 + more);
  bench.keep("series piece",
             (many.seconds - many.written - (fewer.seconds - fewer.written) - step * static_cast<double>(more)) /
                 (many.count - fewer.count));
  mesh(bench, options);
}

}  // namespace

void measure_series_layers(LayerBench& bench) {
  series(bench);
  heart(bench);
}

}  // namespace weft::predict
