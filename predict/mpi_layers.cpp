#include <cstdint>
#include <tuple>

#include "kernels/awp/awp_kernel.hpp"
#include "kernels/mhm/mhm_kernel.hpp"
#include "kernels/picmss/picmss_kernel.hpp"
#include "predict/layer_bench.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

using stores::Sharing;

void collective_writes(LayerBench& bench) {
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
    // No whole pages, as records are, and as HDF5's data lie: those have costs of their own (machine.hpp).
    constexpr std::uint64_t kSmall = 4096 + 8;
    constexpr std::uint64_t kLarge = (64ULL << 10) + 8;
    const std::uint64_t small_more = 128 / bench.fewer();
    const std::uint64_t large_more = 64 / bench.fewer();
    const auto output = [&](std::uint64_t records, std::uint64_t bytes) {
      return bench.runs().hard(names.strategy, records, bytes).output;
    };
    const Runs::Times few = bench.runs().hard(names.strategy, 8, kSmall);
    const double small = (output(8 + small_more, kSmall) - few.output) / static_cast<double>(small_more);
    const double large = (output(8 + large_more, kLarge) - output(8, kLarge)) / static_cast<double>(large_more);
    bench.keep(names.start, few.first);
    bench.keep(names.open, few.output - 8 * std::max(small, 0.0));
    const double beyond = bench.keep(names.round, small - bench.request(Sharing::in_turn, kSmall));
    bench.keep(names.mebibyte, (large - bench.request(Sharing::in_turn, kLarge) - beyond) * (1ULL << 20) / kLarge);
  }
}

// A rank alone has its block in one piece; its types tell of every value all the same.
void pieces(LayerBench& bench) {
  kernels::awp::AwpOptions options;
  options.grid = {128 * bench.ranks(), 16, 8};
  options.processes = kernels::Extent{bench.ranks(), 1, 1};
  options.skip = 1;
  options.variables = 1;
  const auto times = [&](kernels::awp::AwpStrategy strategy, std::uint64_t steps) {
    options.strategy = strategy;
    options.steps_per_file = steps;
    return bench.runs().of([&](const std::string& out) {
      return nlohmann::json(run_awp(bench.runs().comm(), Runs::quiet(out), options));
    });
  };
  using enum kernels::awp::AwpStrategy;
  constexpr double kRows = 16.0 * 8;  // of a rank, in a step
  constexpr double kRowValues = 128;
  const std::uint64_t types_more = 16 / bench.fewer();
  const double types = times(hindexed, 2 + types_more).build - times(hindexed, 2).build;
  bench.keep("mpi type of a value", types / (kRows * kRowValues * static_cast<double>(types_more)));
  if (bench.ranks() == 1) return;
  // So many that they take several times what two runs differ by.
  const std::uint64_t more = bench.is_slow() ? 1 : 64;
  const double each =
      (times(subarray, 2 + more).output - times(subarray, 2).output) / (kRows * static_cast<double>(more));
  bench.keep("mpi piece", each - bench.request(Sharing::in_turn, 128 * sizeof(float)));
}

// Seconds of an array of a step, beyond its request.
double array_of(LayerBench& bench, kernels::picmss::PicmssStrategy strategy, std::uint64_t edge) {
  kernels::picmss::PicmssOptions options;
  options.strategy = strategy;
  options.grid = {edge, edge, edge};
  const auto seconds = [&](std::uint64_t steps) {
    options.steps = steps;
    return bench.runs()
        .of([&](const std::string& out) {
          return nlohmann::json(run_picmss(bench.runs().comm(), Runs::quiet(out), options));
        })
        .output;
  };
  const std::uint64_t more = bench.is_slow() ? 1 : edge < 32 ? 20 : edge > 32 ? 1 : 5;
  const double written = bench.request(Sharing::apart, edge * edge * edge / bench.ranks() * sizeof(double));
  return (seconds(1 + more) - seconds(1)) / static_cast<double>(6 * more) - written;
}

// An array of a few values, and what each value adds: of a grid that a processor's cache holds, and of one that it
// does not.
void values(LayerBench& bench) {
  using enum kernels::picmss::PicmssStrategy;
  for (const auto& [strategy, array, value, of_many] :
       {std::tuple{typed, "mpi array", "mpi value in memory", "mpi value of many"},
        std::tuple{typed_collective, "mpi array together", "mpi value together", "mpi value of many together"}}) {
    const std::uint64_t few_edge = 12;
    const std::uint64_t edge = bench.is_slow() ? 16 : 32;
    const double few = array_of(bench, strategy, few_edge);
    const auto values = [&](std::uint64_t along) {
      return static_cast<double>(along * along * along) / static_cast<double>(bench.ranks());
    };
    const double each = std::max(0.0, array_of(bench, strategy, edge) - few) / (values(edge) - values(few_edge));
    bench.keep(array, few - each * values(few_edge));
    bench.keep(value, each);
    if (!bench.is_slow()) bench.keep(of_many, (array_of(bench, strategy, 80) - few) / (values(80) - values(few_edge)));
  }
}

// A value that printf writes, into a file of its own and into one together.
void text(LayerBench& bench) {
  kernels::mhm::MhmOptions options;
  const auto seconds = [&](kernels::mhm::MhmStrategy strategy, std::uint64_t sub_elements) {
    options.strategy = strategy;
    options.shape = {.ccross = 1, .sub_elements = sub_elements, .dims = 3};
    return bench.runs()
        .of([&](const std::string& out) {
          return nlohmann::json(run_mhm(bench.runs().comm(), Runs::quiet(out), options));
        })
        .output;
  };
  const auto values = [](std::uint64_t sub) {
    const std::uint64_t points = (sub + 1) * (sub + 2) / 2;
    return static_cast<double>(points);
  };
  const double problems = 4.0 / static_cast<double>(std::min<std::uint64_t>(bench.ranks(), 4));
  const std::uint64_t more = bench.is_slow() ? 14 : 32;
  const auto each = [&](kernels::mhm::MhmStrategy strategy, std::uint64_t most) {
    return (seconds(strategy, most) - seconds(strategy, 8)) / (problems * (values(most) - values(8)));
  };
  using enum kernels::mhm::MhmStrategy;
  bench.keep("mpi write", each(shared, more) - bench.request(Sharing::apart, kernels::mhm::kValueBytes));
  if (bench.is_slow()) return;  // requests take so long that it cannot be told
  constexpr std::uint64_t kSubElements = 256;
  const auto written = [&](std::uint64_t sub) {
    const auto bytes = static_cast<std::uint64_t>(values(sub)) * kernels::mhm::kValueBytes;
    const std::uint64_t piece = std::min(bytes, bench.stdio_bytes());
    return bench.request(Sharing::own_files, piece) * static_cast<double>(ceil_div(bytes, piece));
  };
  const double writing = (written(kSubElements) - written(8)) / (values(kSubElements) - values(8));
  // None where writing takes so much longer that formatting cannot be told; rates.hpp has a rate for it.
  if (const double value = each(files, kSubElements) - writing; value > 0) bench.keep("text value", value);
}

}  // namespace

void measure_mpi_layers(LayerBench& bench) {
  collective_writes(bench);
  pieces(bench);
  values(bench);
  text(bench);
}

}  // namespace weft::predict
