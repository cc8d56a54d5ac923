#include <algorithm>
#include <cmath>

#include "kernels/picmss/picmss_file.hpp"
#include "kernels/picmss/picmss_lines.hpp"
#include "predict/kernel_work.hpp"
#include "predict/mpi_io.hpp"
#include "predict/series_work.hpp"

namespace weft::predict {

namespace {

using kernels::picmss::PicmssOptions;
using kernels::picmss::PicmssStrategy;
using stores::Sharing;

// Each array takes every sixth value of a rank's memory: from a processor's cache, or from beyond it. The two sizes are
// about those of a profile's grids (layers.cpp).
double share_beyond_cache(double bytes) {
  constexpr double kWithin = 1.5 * (1 << 20);
  constexpr double kBeyond = 23.0 * (1 << 20);
  return std::clamp(std::log(bytes / kWithin) / std::log(kBeyond / kWithin), 0.0, 1.0);
}

// A rank's lines lie together in every array of the file; in memory a node's variables lie together.
std::vector<Step> steps_of(const PicmssOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const kernels::picmss::LineGrid grid(options.grid);
  const auto lines = grid.lines_of(0, around.ranks);
  const std::uint64_t array_bytes = grid.nodes_of(lines).count * sizeof(double);
  const auto variables = static_cast<double>(kernels::picmss::kPicmssVariables.size());
  const auto coordinates = static_cast<double>(kernels::picmss::kPicmssCoordinates.size());
  const auto steps = static_cast<double>(options.steps * run.phases);
  const double arrays = variables * steps + coordinates * static_cast<double>(run.phases);
  RankSteps rank;
  if (options.strategy == PicmssStrategy::reopen_elementwise) {
    rank.call("open", "mpi start");
    rank.call("open", "mpi open", steps);
    const double values = arrays * static_cast<double>(grid.nodes_of(lines).count);
    rank.write("write", Sharing::apart, sizeof(double), values);
    rank.call("write", "mpi write", values);
    rank.write("write", Sharing::apart, kernels::picmss::kBrickBytes,
               static_cast<double>(grid.bricks_of(lines).count * run.phases));
  } else {
    rank.call("open", "mpi start");
    rank.call("open", "mpi open", static_cast<double>(run.phases));
    rank.write("write", Sharing::apart, array_bytes, arrays);
    const bool together = options.strategy == PicmssStrategy::typed_collective;
    const double values = arrays * static_cast<double>(grid.nodes_of(lines).count);
    const double many = share_beyond_cache(static_cast<double>(array_bytes) * variables);
    rank.call("write", together ? "mpi array together" : "mpi array", arrays);
    rank.call("write", together ? "mpi value together" : "mpi value in memory", values * (1 - many));
    rank.call("write", together ? "mpi value of many together" : "mpi value of many", values * many);
    rank.write("write", Sharing::apart, grid.bricks_of(lines).count * kernels::picmss::kBrickBytes,
               static_cast<double>(run.phases));
  }
  rank.meet("close");
  return rank.steps();
}

// Headers are rank 0's; then array after array, in which each rank has a stretch.
std::optional<Requests> typed_requests(const PicmssOptions& options, const kernels::RunOptions& run,
                                       const Surroundings& around) {
  if (!run.hints.empty() || around.nodes() > 1) return std::nullopt;
  const kernels::picmss::LineGrid grid(options.grid);
  std::vector<Given> values;
  std::vector<Given> bricks;
  for (std::uint64_t rank = 0; rank < around.ranks; ++rank) {
    const kernels::picmss::Stretch lines = grid.lines_of(rank, around.ranks);
    values.push_back({.pieces = {}, .memory_in_one = false});
    bricks.push_back({});
    // A node's variables lie together in memory.
    if (const auto [first, count] = grid.nodes_of(lines); count > 0) {
      values.back().pieces.push_back({first * sizeof(double), count * sizeof(double), count});
    }
    if (const auto [first, count] = grid.bricks_of(lines); count > 0) {
      bricks.back().pieces.push_back({first * kernels::picmss::kBrickBytes, count * kernels::picmss::kBrickBytes, 1});
    }
  }
  const auto array = [&](const std::vector<Given>& ranks) -> std::optional<Requests> {
    if (options.strategy == PicmssStrategy::typed_collective) return written_together(mpi_io(), ranks);
    Requests sum;
    for (const Given& rank : ranks) {
      const std::optional<Requests> alone = written_alone(mpi_io(), rank);
      if (!alone) return std::nullopt;
      sum.add(*alone);
    }
    return sum;
  };
  const std::optional<Requests> of_values = array(values);
  const std::optional<Requests> of_bricks = array(bricks);
  if (!of_values || !of_bricks) return std::nullopt;
  const auto phases = static_cast<double>(run.phases);
  const auto later = static_cast<double>(options.steps - 1);
  Requests sum;
  const kernels::picmss::PicmssLayout layout(grid, options.steps);
  sum.add({6, static_cast<double>(layout.header_bytes(0))}, phases);
  if (later > 0) sum.add({3, static_cast<double>(layout.header_bytes(1))}, later * phases);
  sum.add(*of_values, phases * static_cast<double>(kernels::picmss::kPicmssCoordinates.size() +
                                                   kernels::picmss::kPicmssVariables.size() * options.steps));
  sum.add(*of_bricks, phases);
  return sum;
}

}  // namespace

Workload work_of(const PicmssOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_picmss(options, run, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  if (options.strategy != PicmssStrategy::series) {
    work.groups = {{around.ranks, steps_of(options, run, around)}};
    const bool by_value = options.strategy == PicmssStrategy::reopen_elementwise;
    work.at_store = by_value ? requests_of(plan) : typed_requests(options, run, around);
    return work;
  }
  SeriesShape shape = shape_on(around);
  for (const std::string_view variable : kernels::picmss::kPicmssVariables) {
    FieldSpec field;
    field.name = variable;
    field.per_step = {options.grid[2], options.grid[1], options.grid[0]};
    shape.fields.push_back(std::move(field));
  }
  shape.place_axes = 3;
  shape.steps = options.steps;
  shape.align_bytes = run.align_bytes;
  write_series(shape, around.rates, run.phases, work);
  return work;
}

}  // namespace weft::predict
