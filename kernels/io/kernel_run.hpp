// kernels/io/kernel_run.hpp - what all kernels' runs have in common: the folder, the yardstick, who counts and times
// what, the report.
//
// Time is that of building types and views, writing and closing, of the slowest rank; what comes before
// (initialisation) is not in it. A run's counters must be those of its plan; the report says whether they are.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/io/kernel_plan.hpp"
#include "kernels/io/mpi_file.hpp"
#include "kernels/io/rank_accounts.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels {

// What every kernel takes. Each says what a phase is.
struct RunOptions {
  std::string out;                // a folder: not there, or empty
  std::uint64_t phases = 1;       // output phases, one after the other
  std::uint64_t seed = 1;         // of the values
  std::uint64_t align_bytes = 0;  // regions of a shared file begin at multiples of this; 0: no matter
  Hints hints;                    // for MPI-IO; stripes and aggregators are among them
  bool yardstick = false;         // also time raw 8 MiB writes of the same bytes
  bool read_back = false;         // and reading the files again, when all are written
  bool progress = true;           // on standard error, once the run takes over two seconds
};

// For what a simulation would have computed between two outputs: `action`, and waiting until all ranks have done it, is
// not in the time of the output phase. Collective; throws agreed errors.
void set_aside(Communicator& comm, Done& done, const std::function<void()>& action);

// One rank's part of a run.
struct KernelBody {
  std::function<void()> prepare;                                // not timed: folders, values
  std::function<void(std::uint64_t phase, Done& done)> output;  // timed, phase after phase
  std::function<nlohmann::json()> afterwards = {};              // not timed: more for the report, the same on all ranks
};

// Collective. Makes the folder, prepares, and writes all phases; the yardstick runs before or after, by lot. Actions
// throw on whatever rank; run_kernel() sees that all ranks learn of it. The report is the same on every rank:
//   kernel, strategy, ranks, out, phases, files, file_bytes, bytes, seconds{output, build, open, write, close,
//   compress, raw?}, seconds_per_rank{output{min, median, max}, ..}, latency{open, write, ..}
//   (kernels/io/call_latency.hpp), counters{app, mpi, syscall}, per_rank{min_bytes, max_bytes}, as_planned, plan{},
//   read_back{}? (kernels/io/read_back.hpp) and what `afterwards` adds; `about`, where it is among that, is a list of
//   lines for people.
// seconds.output is the slowest rank's; the others are sums over ranks and threads.
nlohmann::ordered_json run_kernel(MpiCommunicator& comm, const RunOptions& options, const KernelPlan& plan,
                                  const KernelBody& body);

// A line of a report: a name in front, and what it says.
using TellLine = std::function<void(std::string_view name, const std::string& value)>;
// What `seconds_per_rank` and `latency` say, as people read it.
void add_spread(const nlohmann::json& report, const TellLine& line);
// The report as people read it.
std::string report_text(const nlohmann::ordered_json& report);

}  // namespace weft::kernels
