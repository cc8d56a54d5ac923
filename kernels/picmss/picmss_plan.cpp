#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/picmss/picmss_file.hpp"
#include "kernels/picmss/picmss_kernel.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::picmss {

namespace {

constexpr std::uint64_t kMostCounts = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostSteps = 100'000;  // five digits in the name of a zone

Error bad(std::string_view where, std::string_view what, std::string_view remedy) {
  return Error(ErrorKind::usage, where, what, remedy);
}

void check(const PicmssOptions& options, const RunOptions& run, std::uint64_t ranks) {
  const std::string grid = fmt::format("--grid {}", to_string(options.grid));
  if (std::any_of(options.grid.begin(), options.grid.end(), [](std::uint64_t n) { return n < 2; })) {
    throw bad(grid, "has no brick", "give at least 2 nodes along each axis");
  }
  if (volume(options.grid) > kMostCounts) {
    throw bad(grid, fmt::format("{} nodes are more than a Tecplot file counts", volume(options.grid)),
              "make it smaller");
  }
  if (options.steps == 0) throw bad("--steps 0", "writes nothing", "give 1 or more");
  if (options.steps > kMostSteps || run.phases > kMostSteps / options.steps) {
    throw bad(fmt::format("--steps {}", options.steps),
              fmt::format("and {} phases are more than 100,000 steps, and names of zones have five digits", run.phases),
              "make them fewer");
  }
  if (ranks > kMostCounts) throw bad(fmt::format("--ranks {}", ranks), "is more than MPI counts", "plan fewer");
  if (run.align_bytes > 0 && options.strategy != PicmssStrategy::series) {
    throw bad("--align", "has no effect here: Tecplot's format says where everything lies",
              "leave it out, or use --strategy series");
  }
}

// What one rank writes of the arrays of a phase, beside the headers.
struct RankData {
  std::uint64_t nodes;
  std::uint64_t bricks;
  std::uint64_t arrays;  // of values of nodes, over all steps
  std::uint64_t bytes() const { return 8 * arrays * nodes + kBrickBytes * bricks; }
};

// The calls of a phase, as they are put together: those of headers first, then rank after rank.
class PhaseCalls {
 public:
  PhaseCalls(const PicmssOptions& options, std::uint64_t ranks) : options_(options), ranks_(ranks) {}

  // Headers are rank 0's.
  void headers() {
    const std::uint64_t later = options_.steps - 1;
    switch (options_.strategy) {
      case PicmssStrategy::reopen_elementwise:
        calls_.write(1, 8);
        calls_.write(4, 52 + options_.steps * (1 + 13 + 11) + 2 + 12 + later * (1 + 21));
        calls_.write(8, options_.steps + 18 + later * 12);
        break;
      case PicmssStrategy::typed:
      case PicmssStrategy::typed_collective:
        for (const std::uint64_t bytes : {8U, 52U * 4, 2U * 4, 12U * 4, 18U * 8}) calls_.write(bytes);
        calls_.write(options_.steps * kZoneHeaderBytes);
        for (const std::uint64_t bytes : {4U, 21U * 4, 12U * 8}) calls_.write(bytes, later);
        break;
      case PicmssStrategy::series: break;
    }
  }

  void data_of(const RankData& rank) {
    const bool collective = options_.strategy == PicmssStrategy::typed_collective;
    switch (options_.strategy) {
      case PicmssStrategy::reopen_elementwise:
        calls_.write(8, rank.arrays * rank.nodes);
        calls_.write(kBrickBytes, rank.bricks);
        break;
      case PicmssStrategy::typed:
      case PicmssStrategy::typed_collective:
        // A write of nothing is made only where all ranks write together.
        if (collective || rank.nodes > 0) calls_.write(8 * rank.nodes, rank.arrays);
        if (collective || rank.bricks > 0) calls_.write(kBrickBytes * rank.bricks);
        break;
      case PicmssStrategy::series:
        if (rank.nodes > 0) calls_.write(8 * rank.nodes, rank.arrays);
        break;
    }
  }

  Calls of_a_phase() {
    const bool reopened = options_.strategy == PicmssStrategy::reopen_elementwise;
    calls_.opens = calls_.closes = ranks_ * (reopened ? options_.steps : 1);
    // To the rank's own part of an array, and to the array's end: X, Y, Z and the bricks once, variables every step.
    if (reopened) {
      calls_.seeks = ranks_ * 2 * (kPicmssCoordinates.size() + 1 + options_.steps * kPicmssVariables.size());
    }
    return calls_;
  }

 private:
  const PicmssOptions& options_;
  std::uint64_t ranks_;
  Calls calls_;
};

// Writes of a header on rank 0: {the first, a later one}.
std::array<std::uint64_t, 2> header_writes(const PicmssOptions& options) {
  switch (options.strategy) {
    case PicmssStrategy::reopen_elementwise: return {first_header_values(options.steps), kStepHeaderValues};
    case PicmssStrategy::typed:
    case PicmssStrategy::typed_collective: return {6, 3};
    case PicmssStrategy::series: return {0, 0};
  }
  return {0, 0};
}

}  // namespace

std::string_view name_of(PicmssStrategy strategy) {
  switch (strategy) {
    case PicmssStrategy::reopen_elementwise: return "reopen-elementwise";
    case PicmssStrategy::typed: return "typed";
    case PicmssStrategy::typed_collective: return "typed-collective";
    case PicmssStrategy::series: return "series";
  }
  return "typed";
}

PicmssStrategy parse_picmss_strategy(std::string_view text) {
  using enum PicmssStrategy;
  for (const PicmssStrategy strategy : {reopen_elementwise, typed, typed_collective, series}) {
    if (text == name_of(strategy)) return strategy;
  }
  throw bad(fmt::format("--strategy '{}'", text), "is not known",
            "use reopen-elementwise, typed, typed-collective or series");
}

std::string picmss_file(const std::string& out, const PicmssOptions& options, std::uint64_t phase) {
  return fmt::format("{}/picmss_{:04}.{}", out, phase, options.strategy == PicmssStrategy::series ? "h5" : "plt");
}

KernelPlan plan_picmss(const PicmssOptions& options, const RunOptions& run, std::uint64_t ranks) {
  check(options, run, ranks);
  const LineGrid grid(options.grid);
  const PicmssLayout layout(grid, options.steps);
  const bool series = options.strategy == PicmssStrategy::series;
  const std::uint64_t arrays = options.steps * kPicmssVariables.size() + (series ? 0 : kPicmssCoordinates.size());

  KernelPlan plan;
  plan.kernel = "picmss";
  plan.strategy = name_of(options.strategy);
  plan.ranks = ranks;
  plan.files = run.phases;
  PhaseCalls calls(options, ranks);
  calls.headers();
  plan.min_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t held = 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const Stretch lines = grid.lines_of(rank, ranks);
    const RankData data{grid.nodes_of(lines).count, series ? 0 : grid.bricks_of(lines).count, arrays};
    calls.data_of(data);
    std::uint64_t bytes = data.bytes();
    if (rank == 0 && !series) bytes += layout.header_bytes(0) + (options.steps - 1) * layout.header_bytes(1);
    plan.min_bytes = std::min(plan.min_bytes, bytes * run.phases);
    plan.max_bytes = std::max(plan.max_bytes, bytes * run.phases);
    held = std::max(held, options.ghosts ? grid.with_ghosts(lines).count : lines.count);
  }
  plan.app = calls.of_a_phase() * run.phases;
  if (!series) plan.mpi = plan.app;
  plan.file_bytes = series ? plan.app.bytes() : layout.bytes() * run.phases;

  const std::uint64_t least = grid.lines_of(ranks - 1, ranks).count;
  const std::uint64_t most = grid.lines_of(0, ranks).count;
  const std::uint64_t with_most = most == least ? ranks : grid.lines() % ranks;
  const auto [first_writes, step_writes] = header_writes(options);
  const std::uint64_t step_bytes = layout.step_address(2) - layout.step_address(1);
  plan.facts = {{"grid", options.grid},
                {"nodes", grid.nodes()},
                {"bricks", grid.bricks()},
                {"steps", options.steps},
                {"lines", grid.lines()},
                {"lines_min", least},
                {"lines_max", most},
                {"ranks_with_lines_max", with_most},
                {"held_lines_max", held},
                {"first_header_writes", first_writes},
                {"step_header_writes", step_writes},
                {"first_step_bytes", layout.step_address(1)},
                {"step_bytes", step_bytes}};
  plan.about = {fmt::format("grid {}: {} lines of {} nodes; {} to {} lines a rank, with ghosts at most {}",
                            to_string(options.grid), format_count(grid.lines()), format_count(grid.line_nodes()),
                            format_count(least), format_count(most), format_count(held)),
                fmt::format("files of {} steps: {}; the first step has {}, a later one {}", format_count(options.steps),
                            format_count(run.phases), format_bytes(layout.step_address(1)), format_bytes(step_bytes))};
  if (!series) {
    plan.about.push_back(fmt::format("headers take rank 0 {} writes, {} in later steps", format_count(first_writes),
                                     format_count(step_writes)));
  }
  return plan;
}

}  // namespace weft::kernels::picmss
