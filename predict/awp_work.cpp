#include <algorithm>

#include "predict/chunk_pieces.hpp"
#include "predict/kernel_work.hpp"
#include "predict/series_work.hpp"

namespace weft::predict {

namespace {

using kernels::awp::AwpOptions;
using kernels::awp::AwpStrategy;
using stores::Sharing;

// A rank whose block has so many points; rows lie together in the file, along x.
std::vector<Step> steps_of(const AwpOptions& options, const kernels::RunOptions& run, const kernels::Extent& part,
                           bool whole_grid) {
  const std::uint64_t points = kernels::volume(part);
  const std::uint64_t bytes = points * options.steps_per_file * sizeof(float);
  const std::uint64_t row = part[0] * sizeof(float);
  RankSteps rank;
  const auto files = static_cast<double>(run.phases * options.variables);
  if (options.strategy == AwpStrategy::hindexed) {
    // A type of every value of all steps (awp_types.hpp).
    rank.call("build", "mpi type of a value", static_cast<double>(points * options.steps_per_file) * files);
  }
  rank.call("open", "mpi start");
  rank.call("open", "mpi open", files);
  if (whole_grid) {
    rank.write("write", Sharing::own_files, std::min<std::uint64_t>(bytes, 1ULL << 20),
               files * static_cast<double>(bytes) / static_cast<double>(std::min<std::uint64_t>(bytes, 1ULL << 20)));
  } else {
    const std::uint64_t of_file = bytes / row;
    const double rows = static_cast<double>(of_file) * files;
    rank.write("write", Sharing::in_turn, row, rows);
    rank.call("write", "mpi piece", rows);
  }
  rank.meet("close");
  return rank.steps();
}

// Each file is one write of all ranks.
std::optional<Requests> requests_of_files(const AwpOptions& options, const kernels::RunOptions& run,
                                          const kernels::awp::ProcessGrid& grid, const Surroundings& around) {
  if (!run.hints.empty() || around.nodes() > 1) return std::nullopt;
  const auto& points = grid.points();
  const Shape extents{options.steps_per_file, points[2], points[1], points[0]};
  std::vector<Box> boxes;
  std::vector<Shape> memory;
  for (std::uint64_t rank = 0; rank < std::min(around.ranks, kMostRanks + 1); ++rank) {
    const auto [start, count] = grid.part_of(rank);
    boxes.push_back({{0, start[2], start[1], start[0]}, {options.steps_per_file, count[2], count[1], count[0]}});
    memory.push_back(boxes.back().count);
  }
  const std::optional<Requests> file = written_together({extents, extents, sizeof(float)}, boxes, memory);
  if (!file) return std::nullopt;
  Requests all;
  all.add(*file, static_cast<double>(options.variables * run.phases));
  return all;
}

}  // namespace

Workload work_of(const AwpOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_awp(options, run, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  const kernels::awp::ProcessGrid grid = kernels::awp::awp_processes(options, around.ranks);
  if (options.strategy != AwpStrategy::series) {
    work.groups = {
        {around.ranks, steps_of(options, run, grid.greatest_part(), grid.processes()[0] == 1 && around.ranks == 1)}};
    work.at_store = requests_of_files(options, run, grid, around);
    return work;
  }
  SeriesShape shape = shape_on(around);
  for (std::uint64_t variable = 0; variable < options.variables; ++variable) {
    FieldSpec field;
    field.name = "v" + std::to_string(variable);
    field.type = DataType::float32;
    field.per_step = {grid.points()[2], grid.points()[1], grid.points()[0]};
    shape.fields.push_back(std::move(field));
  }
  shape.place_axes = 3;
  shape.steps = options.steps_per_file;
  shape.align_bytes = run.align_bytes;
  shape.owned = [grid](const FieldSpec&, std::uint64_t rank) {
    const auto [start, count] = grid.part_of(rank);
    return Box{{start[2], start[1], start[0]}, {count[2], count[1], count[0]}};
  };
  write_series(shape, around.rates, run.phases, work);
  return work;
}

}  // namespace weft::predict
