#include <algorithm>

#include "kernels/mhm/mhm_plan.hpp"
#include "predict/kernel_work.hpp"
#include "predict/mpi_io.hpp"
#include "predict/series_work.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

using kernels::mhm::MhmOptions;
using kernels::mhm::MhmStrategy;
using stores::Sharing;

void write_text(RankSteps& rank, Sharing sharing, std::uint64_t bytes, std::uint64_t piece, double times) {
  piece = std::min(piece, bytes);
  const std::uint64_t whole = bytes / piece;
  rank.write("write", sharing, piece, times * static_cast<double>(whole));
  rank.write("write", sharing, bytes % piece, times);
}

// The writes of a file of its own, which the call "make" begins with a page.
void write_file(RankSteps& rank, std::uint64_t bytes, std::uint64_t piece, double times) {
  piece = std::min(piece, bytes);
  rank.go_on("write", Sharing::own_files, piece, times);
  const std::uint64_t more = bytes / piece - 1;
  rank.write("write", Sharing::own_files, piece, times * static_cast<double>(more));
  rank.write("write", Sharing::own_files, bytes % piece, times);
}

std::vector<Step> steps_of(const MhmOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const std::uint64_t text = options.shape.problem_bytes();
  const std::uint64_t problems = ceil_div(options.shape.problems(), around.ranks);
  const auto times = static_cast<double>(problems * run.phases);
  const auto phases = static_cast<double>(run.phases);
  const double formatted = static_cast<double>(text) * times / around.rates.format;
  RankSteps rank;
  rank.spend("write", formatted / static_cast<double>(std::max<std::uint64_t>(1, options.threads)));
  switch (options.strategy) {
    case MhmStrategy::files:
    case MhmStrategy::files_buffered:
      if (options.strategy == MhmStrategy::files) {
        // The buffer of printf: new memory once, and then the memory that the file before gave back.
        rank.spend("open", static_cast<double>(around.stdio_bytes) / around.rates.fresh_copy);
      }
      // A file with its first page; what comes with its close is in there, too.
      rank.call("open", "make", times);
      write_file(rank, text, options.strategy == MhmStrategy::files ? around.stdio_bytes : options.buffer_bytes, times);
      break;
    case MhmStrategy::shared: {
      const double values = static_cast<double>(options.shape.values()) * times;
      rank.call("open", "mpi start");
      rank.call("open", "mpi open", phases);
      rank.write("write", Sharing::apart, kernels::mhm::kValueBytes, values);
      rank.call("write", "mpi write", values);
      break;
    }
    case MhmStrategy::shared_aligned:
      rank.call("open", "mpi start");
      rank.call("open", "mpi open", phases);
      rank.write("write", Sharing::apart, region_bytes(options, run), times);
      break;
    case MhmStrategy::shared_buffered:
      rank.call("open", "mpi start");
      rank.call("open", "mpi open", phases);
      write_text(rank, Sharing::apart, text, options.buffer_bytes, times);
      break;
    case MhmStrategy::shared_collective:
      rank.call("open", "mpi start");
      rank.call("open", "mpi open", phases);
      write_text(rank, Sharing::apart, text * problems, options.buffer_bytes, phases);
      rank.call("write", "mpi round", phases * static_cast<double>(ceil_div(text * problems, options.buffer_bytes)));
      break;
    case MhmStrategy::series: break;
  }
  rank.meet("close");
  return rank.steps();
}

// As many rounds on each rank; those that have no more give nothing.
std::optional<Requests> requests_of_batches(const MhmOptions& options, const kernels::RunOptions& run,
                                            const Surroundings& around) {
  if (!run.hints.empty() || around.nodes() > 1) return std::nullopt;
  const std::uint64_t region = region_bytes(options, run);
  const std::uint64_t of_round = piece_bytes(options, run) / region;
  const auto ranks = static_cast<int>(around.ranks);
  Requests all;
  const std::uint64_t most = ceil_div(options.shape.problems(), around.ranks);
  for (std::uint64_t first = 0; first < most; first += of_round) {
    std::vector<Given> round;
    for (int rank = 0; rank < ranks; ++rank) {
      const partition::Block block = partition::even_block(options.shape.problems(), rank, ranks);
      const std::uint64_t from = std::min(first, block.count);
      const std::uint64_t count = std::min(of_round, block.count - from);
      round.emplace_back();
      if (count > 0) round.back().pieces.push_back({(block.first + from) * region, count * region, 1});
    }
    const std::optional<Requests> requests = written_together(mpi_io(), round);
    if (!requests) return std::nullopt;
    all.add(*requests, static_cast<double>(run.phases));
  }
  return all;
}

// Where each rank writes alone, and what it writes is in one piece, it is what it calls.
std::optional<Requests> requests_at_store(const MhmOptions& options, const kernels::RunOptions& run,
                                          const Surroundings& around, const kernels::KernelPlan& plan) {
  switch (options.strategy) {
    case MhmStrategy::files: {  // printf gathers
      const std::uint64_t text = options.shape.problem_bytes();
      const auto files = static_cast<double>(options.shape.problems() * run.phases);
      Requests all;
      all.add({static_cast<double>(ceil_div(text, around.stdio_bytes)), static_cast<double>(text)}, files);
      return all;
    }
    case MhmStrategy::shared_collective: return requests_of_batches(options, run, around);
    default: return requests_of(plan);
  }
}

// A phase is a step (kernels/mhm/mhm_series.cpp).
SeriesShape series_of(const MhmOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  FieldSpec field;
  field.name = "solution";
  field.per_step = {options.shape.problems() * options.shape.values()};
  SeriesShape shape = shape_on(around);
  shape.fields = {field};
  shape.steps = run.phases;
  shape.align_bytes = run.align_bytes;
  shape.owned = [ranks = around.ranks, options](const FieldSpec&, std::uint64_t rank) {
    const partition::Block mine =
        partition::even_block(options.shape.problems(), static_cast<int>(rank), static_cast<int>(ranks));
    return Box{{mine.first * options.shape.values()}, {mine.count * options.shape.values()}};
  };
  return shape;
}

}  // namespace

Workload work_of(const MhmOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_mhm(options, run, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  if (options.strategy != MhmStrategy::series) {
    work.groups = {{around.ranks, steps_of(options, run, around)}};
    work.at_store = requests_at_store(options, run, around, plan);
    return work;
  }
  // The series is created, with its mesh, before the phases that are timed.
  const std::uint64_t local = plan.max_bytes / run.phases;
  RankSteps rank;
  rank.spend("write", static_cast<double>(plan.max_bytes) / around.rates.fresh_copy);
  rank.meet("write");
  const std::uint64_t request = std::min(local, around.most_request_bytes);
  rank.write("close", Sharing::directly, request,
             static_cast<double>(ceil_div(local, around.most_request_bytes) * run.phases));
  rank.call("close", "series close");
  work.groups = {{around.ranks, rank.steps()}};
  const SeriesShape shape = series_of(options, run, around);
  work.at_store = series_work(shape, around.rates).requests;
  say_past_the_cache(shape, work);
  say_alignment(shape.aligns, shape.align_bytes, work);
  work.clock_seconds = clock_seconds(shape.commit_seconds);
  work.leaves_out.emplace_back("the mesh, which is written before the phases that are timed");
  return work;
}

}  // namespace weft::predict
