// Quantities over time, finished when the run ends: two of Weft's, and one of one's own. From any number of ranks:
//   mpirun -n 3 example_reduce_while_running beat.h5
// The maps are in the file afterwards: /maps/V/activation_time, /maps/V/peak and /maps/V/time_above_0.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

#include "weft/mpi.hpp"

namespace {

constexpr std::uint64_t kNodes = 1000;
constexpr std::uint64_t kSteps = 60;

// How long v was above 0, counting the intervals that end above it.
class TimeAbove0 final : public weft::reduce::RunningQuantity {
 public:
  std::string name() const override { return "time_above_0"; }
  std::string units(const std::string& /*value_units*/, const std::string& time_units) const override {
    return time_units;
  }
  std::size_t state_size() const override { return 1; }
  void begin(std::span<double> state) const override { state[0] = 0; }
  void see(std::span<double> state, const weft::reduce::Samples& samples) const override {
    for (std::size_t i = std::max<std::size_t>(samples.first_new, 1); i < samples.v.size(); ++i) {
      if (samples.v[i] > 0) state[0] += samples.t[i] - samples.t[i - 1];
    }
  }
  double result(std::span<const double> state) const override { return state[0]; }
};

// Every node fires once, one after another, and stays up for 20 ms.
double potential(std::uint64_t step, std::uint64_t node) {
  const double since = static_cast<double>(step) - static_cast<double>(node) / 50;
  return since > 0 && since < 20 ? 30.0 : -85.0;
}

void write(const char* path) {
  weft::MpiCommunicator comm(MPI_COMM_WORLD);
  const auto mine = weft::partition::even_block(kNodes, comm.rank(), comm.size());
  weft::SeriesSpec spec;
  spec.steps = kSteps;
  spec.time_units = "ms";
  weft::FieldSpec v{.name = "V", .per_step = {kNodes}, .units = "mV"};
  v.owned = weft::partition::even_nodes({kNodes}, comm.rank(), comm.size());
  spec.fields = {v};

  const auto maps = std::make_shared<weft::reduce::RunReduction>(
      weft::reduce::RunReductionSpec{.field = "V",
                                     .quantities = weft::reduce::parse_quantities("activation_time,peak"),
                                     .own = {std::make_shared<TimeAbove0>()}});
  spec.observers = {maps};

  auto writer = weft::create_series(MPI_COMM_WORLD, path, spec);
  std::vector<double> values(mine.count);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    for (std::uint64_t i = 0; i < mine.count; ++i) values[i] = potential(step, mine.first + i);
    writer.put("V", values);
    writer.end_step(static_cast<double>(step));
  }
  writer.close();  // and the maps are there
  if (comm.rank() != 0) return;
  std::printf("%s: maps of %llu nodes in %s, %llu of them from the file\n", path,
              static_cast<unsigned long long>(maps->report().nodes), maps->report().folder.c_str(),
              static_cast<unsigned long long>(maps->report().from_file));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    write(argc > 1 ? argv[1] : "beat.h5");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_reduce_while_running: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may be waiting for this one
  }
  MPI_Finalize();
}
