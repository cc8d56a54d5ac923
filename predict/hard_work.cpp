#include "predict/kernel_work.hpp"
#include "predict/mpi_io.hpp"
#include "predict/series_work.hpp"

namespace weft::predict {

namespace {

using kernels::hard::HardOptions;
using kernels::hard::HardStrategy;
using stores::Sharing;

constexpr double kMiB = 1 << 20;

// One rank, but for the series.
std::vector<Step> steps_of(const HardOptions& options, const kernels::RunOptions& run, const Rates& rates) {
  const std::uint64_t bytes = options.records * options.record_bytes;
  const auto records = static_cast<double>(options.records);
  RankSteps rank;
  // Libraries set themselves up once in a run.
  const bool is_hdf5 = options.strategy == HardStrategy::hdf5;
  if (is_hdf5 || options.strategy == HardStrategy::collective) rank.call("open", "mpi start");
  if (is_hdf5) rank.call("open", "hdf5 start");
  for (std::uint64_t phase = 0; phase < run.phases; ++phase) {
    switch (options.strategy) {
      case HardStrategy::files: {
        rank.call("open", "create");
        // Records gather in a transfer; the one that is copied stays in the cache, so half of a copy's bytes move.
        rank.spend("write", static_cast<double>(bytes) / rates.copy / 2);
        const std::uint64_t whole = bytes / options.transfer_bytes;
        rank.write("write", Sharing::own_files, options.transfer_bytes, static_cast<double>(whole));
        rank.write("write", Sharing::own_files, bytes % options.transfer_bytes, 1);
        break;
      }
      case HardStrategy::raw:
        rank.call("open", "create");
        rank.write("write", Sharing::in_turn, options.record_bytes, records);
        break;
      case HardStrategy::collective:
        rank.call("open", "mpi open");
        rank.write("write", Sharing::in_turn, options.record_bytes, records);
        rank.call("write", "mpi round", records);
        rank.call("write", "mpi MiB", static_cast<double>(bytes) / kMiB);
        break;
      case HardStrategy::hdf5:
        rank.call("open", "hdf5 create");
        rank.write("write", Sharing::in_turn, options.record_bytes, records);
        rank.call("write", "hdf5 step", records);
        rank.call("write", "hdf5 MiB", static_cast<double>(bytes) / kMiB);
        break;
      case HardStrategy::series: break;
    }
    const bool in_files = options.strategy == HardStrategy::files;
    if (options.sync) rank.sync("close", bytes, in_files ? options.transfer_bytes : options.record_bytes);
    rank.meet("close");
  }
  return rank.steps();
}

// Ranks write their records of a round together.
std::optional<Requests> requests_of_rounds(const HardOptions& options, const kernels::RunOptions& run,
                                           const Surroundings& around) {
  if (!run.hints.empty() || around.nodes() > 1) return std::nullopt;
  std::vector<Given> ranks;
  for (std::uint64_t rank = 0; rank < around.ranks; ++rank) {
    ranks.push_back({{{.offset = rank * options.record_bytes, .bytes = options.record_bytes}}});
  }
  const std::optional<Requests> round = written_together(mpi_io(), ranks);
  if (!round) return std::nullopt;
  Requests all;
  all.add(*round, static_cast<double>(options.records * run.phases));
  return all;
}

// A long write is several calls (storage/posix_store).
Requests requests_of_calls(const kernels::KernelPlan& plan, const Surroundings& around) {
  Requests all;
  for (const auto& [bytes, times] : plan.app.write_sizes) {
    all.add({static_cast<double>(ceil_div(bytes, around.most_bytes_of_a_call())), static_cast<double>(bytes)},
            static_cast<double>(times));
  }
  return all;
}

}  // namespace

Workload work_of(const HardOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_hard(options, run, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  if (options.strategy != HardStrategy::series) {
    work.groups = {{around.ranks, steps_of(options, run, around.rates)}};
    const bool together = options.strategy == HardStrategy::collective || options.strategy == HardStrategy::hdf5;
    work.at_store = together ? requests_of_rounds(options, run, around) : requests_of_calls(plan, around);
    return work;
  }
  FieldSpec field;
  field.name = "record";
  field.type = DataType::int64;
  field.per_step = {around.ranks, options.record_bytes / sizeof(std::int64_t)};
  field.layout.reads = options.reads;
  SeriesShape shape = shape_on(around);
  shape.fields = {field};
  shape.steps = options.records;
  shape.align_bytes = run.align_bytes;
  shape.syncs = options.sync;
  shape.owned = [](const FieldSpec& of, std::uint64_t rank) { return Box{{rank, 0}, {1, of.per_step[1]}}; };
  write_series(shape, around.rates, run.phases, work);
  return work;
}

}  // namespace weft::predict
