#include "kernels/mhm/mhm_plan.hpp"

#include <fmt/format.h>

#include "weft/support/amount.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::mhm {

namespace {

// Text in writes of at most `piece` bytes.
void add_pieces(Calls& calls, std::uint64_t text, std::uint64_t piece, std::uint64_t times) {
  calls.write(piece, text / piece * times);
  if (text % piece > 0) calls.write(text % piece, times);
}

// What a rank with so many problems calls in a phase, when `most` is the largest number any rank has.
Calls calls_of_rank(const MhmOptions& options, const RunOptions& run, std::uint64_t problems, std::uint64_t most) {
  const std::uint64_t text = options.shape.problem_bytes();
  const std::uint64_t piece = piece_bytes(options, run);
  Calls calls;
  switch (options.strategy) {
    case MhmStrategy::files:
    case MhmStrategy::files_buffered:
      calls.opens = calls.closes = problems;
      add_pieces(calls, text, piece, problems);
      return calls;
    case MhmStrategy::shared:
    case MhmStrategy::shared_buffered: add_pieces(calls, text, piece, problems); break;
    case MhmStrategy::shared_aligned: calls.write(piece, problems); break;
    case MhmStrategy::shared_collective: {
      add_pieces(calls, problems * text, piece, 1);
      calls.write(0, ceil_div(most * text, piece) - calls.writes());  // for those who have more
      break;
    }
    case MhmStrategy::series:
      if (problems > 0) calls.write(problems * options.shape.values() * sizeof(double));
      return calls;
  }
  calls.opens = calls.closes = 1;
  return calls;
}

}  // namespace

KernelPlan plan_mhm(const MhmOptions& options, const RunOptions& run, std::uint64_t ranks) {
  check_mhm(options, run);
  const MhmShape& shape = options.shape;
  const std::uint64_t problems = shape.problems();
  const std::uint64_t least = problems / ranks;
  const std::uint64_t with_one_more = problems % ranks;
  const std::uint64_t most = ceil_div(problems, ranks);

  KernelPlan plan;
  plan.kernel = "mhm";
  plan.strategy = name_of(options.strategy);
  plan.ranks = ranks;
  const Calls few = calls_of_rank(options, run, least, most);
  const Calls many = calls_of_rank(options, run, most, most);
  plan.app += few * (ranks - with_one_more);
  plan.app += many * with_one_more;
  plan.app = plan.app * run.phases;
  plan.min_bytes = few.bytes() * run.phases;
  plan.max_bytes = many.bytes() * run.phases;
  plan.file_bytes = plan.app.bytes();
  switch (options.strategy) {
    case MhmStrategy::files:
    case MhmStrategy::files_buffered: plan.files = problems * run.phases; break;
    case MhmStrategy::series:
      plan.files = 1;
      plan.app.opens = plan.app.closes = ranks;  // of the whole run
      break;
    default:
      plan.files = run.phases;
      plan.mpi = plan.app;
      break;
  }
  plan.facts = {{"problems", problems},
                {"values", shape.values()},
                {"points", shape.points()},
                {"dims", shape.dims},
                {"problem_bytes", shape.problem_bytes()},
                {"region_bytes", region_bytes(options, run)},
                {"threads", options.threads}};
  plan.about.push_back(fmt::format("{} problems of {} points x {} {}, {} of text each", format_count(problems),
                                   format_count(shape.points()), shape.dims,
                                   shape.dims == 1 ? "dimension" : "dimensions", format_bytes(shape.problem_bytes())));
  if (options.strategy == MhmStrategy::shared_aligned) {
    plan.about.push_back(fmt::format("regions of {}", format_bytes(region_bytes(options, run))));
  }
  if (options.strategy == MhmStrategy::series)
    plan.about.emplace_back("binary, 8 bytes a value; the mesh comes on top");
  return plan;
}

}  // namespace weft::kernels::mhm
