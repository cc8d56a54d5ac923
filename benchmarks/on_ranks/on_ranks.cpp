// benchmarks/on_ranks - writes a series on MPI ranks in one of several ways: a run of the campaign `peers-on-ranks`.
//
//   mpiexec -n 2 on_ranks --way weft|bp5|bp5-tuned|raw --nodes 400000 --steps 151 --out FILE --json
//
// Prints {"write": seconds, "step": seconds, "peak_rss_bytes": bytes}, each of the rank that had most: all steps from
// opening to closing, the longest single step, and memory (with the values of one step, which are the application's).
// Making the values is not timed.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "benchmarks/on_ranks/writer.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/support/stopwatch.hpp"

namespace {

const std::map<std::string, std::unique_ptr<on_ranks::Writer> (*)(const on_ranks::Series&)> kWays{
    {"weft", on_ranks::weft_writer},
    {"bp5", on_ranks::bp5_writer},
    {"bp5-tuned", on_ranks::tuned_bp5_writer},
    {"raw", on_ranks::raw_writer}};

double most(double mine) {
  double result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

double peak_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

void run(const std::string& way, on_ranks::Series series) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const weft::partition::Block block = weft::partition::even_block(series.nodes, rank, ranks);
  series.first = block.first;
  series.count = block.count;
  std::vector<double> values(2 * series.count);
  double seconds = 0;
  double longest = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const weft::Stopwatch opening;
  const auto writer = kWays.at(way)(series);
  seconds += opening.seconds();
  for (std::uint64_t step = 0; step < series.steps; ++step) {
    const double base = static_cast<double>(2 * series.first) + static_cast<double>(step) * 1e-3;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + base;
    const weft::Stopwatch clock;
    writer->put(step, values);
    const double taken = clock.seconds();
    seconds += taken;
    longest = std::max(longest, taken);
  }
  const weft::Stopwatch closing;
  writer->close();
  seconds += closing.seconds();
  seconds = most(seconds);
  longest = most(longest);
  const double peak = most(peak_bytes());
  if (rank == 0)
    fmt::print("{{\"write\": {:.6f}, \"step\": {:.6f}, \"peak_rss_bytes\": {:.0f}}}\n", seconds, longest, peak);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CLI::App app{fmt::format("Writes a series on MPI ranks in one of several ways: weft, raw{}",
                           on_ranks::kHasBp5 ? ", bp5, bp5-tuned" : "; bp5 needs ADIOS2 for MPI")};
  std::string way;
  on_ranks::Series series;
  series.nodes = 400000;
  series.steps = 151;
  bool json = false;
  app.add_option("--way", way)->required()->check(CLI::IsMember(kWays));
  app.add_option("--nodes", series.nodes)->capture_default_str();
  app.add_option("--steps", series.steps)->capture_default_str();
  app.add_option("--out", series.path)->required();
  app.add_flag("--json", json, "it prints nothing else");
  int result = 0;
  try {
    app.parse(argc, argv);
    run(way, series);
  } catch (const CLI::ParseError& error) {
    result = app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "on_ranks: error: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
