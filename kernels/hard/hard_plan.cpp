#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/hard/hard_kernel.hpp"
#include "weft/layout/read_weights.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::hard {

namespace {

Error bad(std::string_view where, std::string_view what, std::string_view remedy) {
  return Error(ErrorKind::usage, where, what, remedy);
}

void check(const HardOptions& options, const RunOptions& run, std::uint64_t ranks) {
  constexpr std::uint64_t kMostMpiCounts = std::numeric_limits<std::int32_t>::max();
  if (options.records == 0) throw bad("--records 0", "writes nothing", "give 1 or more");
  if (options.record_bytes == 0 || options.record_bytes % 8 != 0 || options.record_bytes > kMostMpiCounts) {
    throw bad(fmt::format("--record {}", options.record_bytes), "is no whole number of 8-byte values, up to 2 GiB",
              "give a multiple of 8");
  }
  if (options.transfer_bytes == 0) throw bad("--transfer 0", "writes nothing", "give 1 byte or more");
  if (ranks == 0) throw bad("--ranks 0", "is no run", "plan for 1 or more");
  element_count({run.phases, ranks, options.records, options.record_bytes});
  if (run.align_bytes > 0 && options.strategy != HardStrategy::series) {
    throw bad("--align", "has no effect here: records lie where the pattern says", "use --strategy series");
  }
}

}  // namespace

std::string_view name_of(HardStrategy strategy) {
  switch (strategy) {
    case HardStrategy::files: return "files";
    case HardStrategy::raw: return "raw";
    case HardStrategy::collective: return "collective";
    case HardStrategy::hdf5: return "hdf5";
    case HardStrategy::series: return "series";
  }
  return "series";
}

HardStrategy parse_hard_strategy(std::string_view text) {
  using enum HardStrategy;
  for (const HardStrategy strategy : {files, raw, collective, hdf5, series}) {
    if (text == name_of(strategy)) return strategy;
  }
  throw bad(fmt::format("--strategy '{}'", text), "is not known", "use files, raw, collective, hdf5 or series");
}

std::string rank_file(const std::string& out, std::uint64_t phase, std::uint64_t rank) {
  return fmt::format("{}/easy{:04}_{:06}.bin", out, phase, rank);
}

std::string shared_file(const std::string& out, std::uint64_t phase, HardStrategy strategy) {
  const bool is_hdf5 = strategy == HardStrategy::hdf5 || strategy == HardStrategy::series;
  return fmt::format("{}/hard{:04}.{}", out, phase, is_hdf5 ? "h5" : "bin");
}

KernelPlan plan_hard(const HardOptions& options, const RunOptions& run, std::uint64_t ranks) {
  check(options, run, ranks);
  const bool easy = options.strategy == HardStrategy::files;
  const std::uint64_t of_rank = options.records * options.record_bytes;
  KernelPlan plan;
  plan.kernel = "hard";
  plan.strategy = name_of(options.strategy);
  plan.ranks = ranks;
  plan.files = run.phases * (easy ? ranks : 1);
  plan.file_bytes = run.phases * ranks * of_rank;
  plan.app.opens = plan.app.closes = run.phases * ranks;
  if (easy) {
    plan.app.write(options.transfer_bytes, run.phases * ranks * (of_rank / options.transfer_bytes));
    if (const std::uint64_t rest = of_rank % options.transfer_bytes) plan.app.write(rest, run.phases * ranks);
  } else {
    plan.app.write(options.record_bytes, run.phases * ranks * options.records);
  }
  if (options.strategy == HardStrategy::collective) plan.mpi = plan.app;
  plan.min_bytes = plan.max_bytes = run.phases * of_rank;
  plan.facts = {{"records", options.records},
                {"record_bytes", options.record_bytes},
                {"transfer_bytes", options.transfer_bytes},
                {"sync", options.sync}};
  plan.about = {fmt::format("{} records of {} bytes a rank: {} in all", format_count(options.records),
                            format_count(options.record_bytes), format_bytes(plan.file_bytes / run.phases)),
                easy ? fmt::format("a file a rank, in writes of {}", format_bytes(options.transfer_bytes))
                     : fmt::format("one file, in which the ranks' records take turns"),
                options.sync ? "the time ends when all of it is on the disk" : "nothing is synced"};
  return plan;
}

}  // namespace weft::kernels::hard
