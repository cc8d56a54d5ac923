#include <fmt/format.h>

#include <limits>

#include "kernels/awp/awp_kernel.hpp"
#include "kernels/awp/awp_types.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::awp {

namespace {

constexpr std::uint64_t kMostMpiCounts = std::numeric_limits<std::int32_t>::max();

Error bad(std::string_view where, std::string_view what, std::string_view remedy) {
  return Error(ErrorKind::usage, where, what, remedy);
}

// What does not depend on the ranks.
void check(const AwpOptions& options, const RunOptions& run) {
  if (options.skip == 0) throw bad("--skip 0", "writes no point", "use 1 for all, 2 for every second one");
  if (options.variables == 0) throw bad("--variables 0", "writes nothing", "give 1 or more");
  if (options.steps_per_file == 0) throw bad("--steps-per-file 0", "writes nothing", "give 1 or more");
  const Extent points = io_grid(options.grid, options.skip);
  for (const std::uint64_t along : points) {
    if (along == 0) {
      throw bad(fmt::format("--skip {}", options.skip),
                fmt::format("leaves no point of a grid of {}", to_string(options.grid)), "skip less");
    }
    if (along > kMostMpiCounts) {
      throw bad(fmt::format("--grid {}", to_string(options.grid)),
                fmt::format("{} points along an axis are more than MPI counts", along), "make it smaller");
    }
  }
  if (options.steps_per_file > kMostMpiCounts) {
    throw bad(fmt::format("--steps-per-file {}", options.steps_per_file), "is more than MPI counts",
              "write more files");
  }
  element_count({run.phases, options.variables, options.steps_per_file, points[2], points[1], points[0], 4});
  if (run.align_bytes > 0 && options.strategy != AwpStrategy::series) {
    throw bad("--align", "has no effect here: a file is one array and nothing in it can be moved",
              "leave it out, or use --strategy series");
  }
}

}  // namespace

std::string_view name_of(AwpStrategy strategy) {
  switch (strategy) {
    case AwpStrategy::hindexed: return "hindexed";
    case AwpStrategy::hindexed_rows: return "hindexed-rows";
    case AwpStrategy::subarray: return "subarray";
    case AwpStrategy::series: return "series";
  }
  return "subarray";
}

AwpStrategy parse_awp_strategy(std::string_view text) {
  using enum AwpStrategy;
  for (const AwpStrategy strategy : {hindexed, hindexed_rows, subarray, series}) {
    if (text == name_of(strategy)) return strategy;
  }
  throw bad(fmt::format("--strategy '{}'", text), "is not known", "use hindexed, hindexed-rows, subarray or series");
}

std::uint64_t awp_sets(std::uint64_t steps, std::uint64_t steps_per_file, std::optional<std::uint64_t> phases) {
  const std::string where = fmt::format("--steps {}", steps);
  if (steps_per_file == 0) throw bad("--steps-per-file 0", "writes nothing", "give 1 or more");
  if (steps == 0 || steps % steps_per_file != 0) {
    throw bad(where, fmt::format("make no whole sets of {}", steps_per_file), "give a multiple of --steps-per-file");
  }
  const std::uint64_t sets = steps / steps_per_file;
  if (phases && *phases != sets) {
    throw bad(where, fmt::format("are {} sets of {}, and --phases says {}", sets, steps_per_file, *phases),
              "leave one of them out");
  }
  return sets;
}

ProcessGrid awp_processes(const AwpOptions& options, std::uint64_t ranks) {
  const Extent points = io_grid(options.grid, options.skip);
  if (ranks > kMostMpiCounts) throw bad(fmt::format("--ranks {}", ranks), "is more than MPI counts", "plan fewer");
  if (!options.processes) return {points, even_processes(points, ranks)};
  const Extent& processes = *options.processes;
  const std::string where = fmt::format("--procs {}", to_string(processes));
  if (volume(processes) != ranks) {
    throw bad(where, fmt::format("are {} processes, not {}", volume(processes), ranks),
              fmt::format("use {} ranks, or leave --procs out", volume(processes)));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (processes[axis] <= points[axis]) continue;
    throw bad(where, fmt::format("are more processes than points: the I/O grid is {}", to_string(points)),
              "use fewer along that axis");
  }
  return {points, processes};
}

std::string awp_file(const std::string& out, std::uint64_t variable, std::uint64_t set) {
  return fmt::format("{}/v{}_set{:04}.bin", out, variable, set);
}

std::string awp_series_file(const std::string& out, std::uint64_t set) {
  return fmt::format("{}/set{:04}.h5", out, set);
}

KernelPlan plan_awp(const AwpOptions& options, const RunOptions& run, std::uint64_t ranks) {
  check(options, run);
  const ProcessGrid grid = awp_processes(options, ranks);
  const std::uint64_t least = volume(grid.least_part());
  const std::uint64_t most = volume(grid.greatest_part());
  const std::uint64_t mapped = mapped_blocks(options.strategy, grid.greatest_part(), options.steps_per_file);
  if (most > kMostMpiCounts || mapped > kMostMpiCounts) {
    throw bad(fmt::format("{} ranks", ranks),
              fmt::format("make blocks of {} points, {} steps to a file: more than MPI counts",
                          to_string(grid.greatest_part()), options.steps_per_file),
              "use more ranks, or fewer --steps-per-file");
  }

  const bool series = options.strategy == AwpStrategy::series;
  const std::uint64_t files = series ? run.phases : run.phases * options.variables;
  const std::uint64_t steps = run.phases * options.steps_per_file;
  KernelPlan plan;
  plan.kernel = "awp";
  plan.strategy = name_of(options.strategy);
  plan.ranks = ranks;
  plan.files = files;
  plan.file_bytes = steps * options.variables * volume(grid.points()) * sizeof(float);
  plan.app.opens = plan.app.closes = files * ranks;
  for (const auto& [points, times] : grid.part_sizes()) {
    // A put of each variable and step, or all steps of a set in one write.
    const std::uint64_t together = series ? 1 : options.steps_per_file;
    plan.app.write(points * together * sizeof(float), times * options.variables * (steps / together));
  }
  if (!series) plan.mpi = plan.app;
  plan.min_bytes = steps * options.variables * least * sizeof(float);
  plan.max_bytes = steps * options.variables * most * sizeof(float);

  const std::uint64_t set_bytes = plan.file_bytes / run.phases;
  const std::uint64_t map_bytes = mapped * kBytesOfMappedBlock;
  plan.facts = {{"grid", options.grid},
                {"skip", options.skip},
                {"io_grid", grid.points()},
                {"processes", grid.processes()},
                {"block_min", grid.least_part()},
                {"block_max", grid.greatest_part()},
                {"variables", options.variables},
                {"steps_per_file", options.steps_per_file},
                {"steps", steps},
                {"sets", run.phases},
                {"set_bytes", set_bytes},
                {"mapped_blocks", mapped},
                {"map_bytes", map_bytes}};
  plan.about = {fmt::format("grid {}, of which {} points are written (--skip {})", to_string(options.grid),
                            to_string(grid.points()), options.skip),
                fmt::format("{} processes, blocks of {} to {}", to_string(grid.processes()),
                            to_string(grid.least_part()), to_string(grid.greatest_part())),
                fmt::format("sets of {} steps: {}, {} each", format_count(options.steps_per_file),
                            format_count(run.phases), format_bytes(set_bytes)),
                fmt::format("memory a rank: {} of values, {} to tell MPI where they belong",
                            format_bytes(plan.max_bytes / run.phases), format_bytes(map_bytes))};
  return plan;
}

}  // namespace weft::kernels::awp
