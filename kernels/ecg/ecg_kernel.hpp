// kernels/ecg/ecg_kernel.hpp - the paper's benchmark: two potentials at every node of a heart, written step by step.
//
// What the application does between steps is the source's business and a pause; what is timed is what it waits for
// Weft.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kernels/ecg/afterwards.hpp"
#include "kernels/ecg/solve/solve_options.hpp"
#include "kernels/io/kernel_plan.hpp"
#include "weft/reduce/run_reduction.hpp"
#include "weft/series/mpi_series.hpp"

namespace weft::kernels::ecg {

// Of the synthetic source, where nothing is said.
inline constexpr std::uint64_t kSyntheticNodes = 100'000;
inline constexpr std::uint64_t kSyntheticSteps = 151;

struct EcgOptions {
  std::string source = "synthetic";    // replay, solve
  std::string from;                    // FILE[:DATASET], for replay
  std::optional<std::uint64_t> nodes;  // nothing: 100,000 for synthetic, all that are recorded for replay
  std::optional<std::uint64_t> steps;  // nothing: 151 for synthetic, all that are recorded for replay
  bool joint = true;
  bool mesh = true;  // synthetic and solve: the file gets the mesh
  SolveOptions solve;
  std::string ownership = "blocks";
  LayoutSpec layout;
  std::string filters;  // of every field on nodes or cells (FieldSpec::filters)
  MpiOptions mpi;
  WriterOptions writer;
  std::uint64_t align_bytes = 0;
  bool unknown_steps = false;  // the series is created without being told how long it will be
  storage::IfExists if_exists = storage::IfExists::replace;
  bool append = false;                     // go on with `out`
  std::optional<std::uint64_t> from_step;  // with append: go back to here
  std::uint64_t checkpoint_every = 0;      // steps; 0: never (solve)
  bool restart = false;                    // from the last checkpoint of `out`; from the beginning where there is none
  double compute_seconds = 0;              // a step's computing: making its values, then a pause for the rest
  bool yardstick = false;
  bool read_back = false;  // reading the file again, when it is finished (kernels/io/read_back.hpp)
  std::optional<reduce::RunReductionSpec> reduction;  // finished when the run ends; its field, "" for V
  std::optional<Afterwards> afterwards;               // with the file, when it is finished
  std::string out;
  bool progress = true;  // on standard error, once the run takes over two seconds
};

// What so many ranks would write: their puts, and the chunks they go to. A replayed file is opened, nothing is written.
// Throws Error(usage) for options that cannot be, and for source solve, whose nodes are not known before its mesh is.
KernelPlan plan_ecg(const EcgOptions& options, std::uint64_t ranks);

// Runs the kernel on all ranks of `comm` and returns the report, the same on every rank: kernel, source, strategy,
// layout, chunk, ranks, steps, nodes, bytes, file, seconds{output, drain, flush, source, compute, run, raw?},
// seconds_per_rank, latency (as of the
// other kernels: kernels/io/kernel_run.hpp), counters{app, mpi, hdf5, syscall}, per_rank{min_bytes, max_bytes},
// peak_rss_bytes, plan? and as_planned? (of a new series, where it can be planned), read_back?, reduction? (what became
// of the maps), solve? (of the simulation), afterwards? (kernels/ecg/afterwards.hpp). `output` is all the time the
// slowest rank was blocked in Weft, create and close included; `drain`, a part of it, is close() alone; `flush` is the
// flush thread's busy time (owner), `compute` that of the pauses. Counters are sums over the ranks but for windows and
// collective_writes, where all ranks take part in each. Collective; throws agreed errors, and others that leave the
// ranks to MPI_Abort.
nlohmann::json run_ecg(MPI_Comm comm, const EcgOptions& options);

// The report as people read it.
std::string to_text(const nlohmann::json& report);

}  // namespace weft::kernels::ecg
