#include "kernels/mhm/mhm_kernel.hpp"

#include "kernels/mhm/mhm_output.hpp"
#include "kernels/mhm/problem_folders.hpp"
#include "kernels/mhm/problem_source.hpp"
#include "weft/support/error.hpp"
#include "weft/support/large_memory.hpp"

namespace weft::kernels::mhm {

namespace {

std::unique_ptr<MhmOutput> make_output(MpiCommunicator& comm, const MhmOutputSpec& spec) {
  if (spec.options.strategy == MhmStrategy::series) return series_output(comm, spec);
  return is_shared(spec.options.strategy) ? shared_output(comm, spec) : files_output(spec);
}

KernelPlan agreed_plan(const MhmOptions& options, const RunOptions& run, std::uint64_t ranks) {
  try {
    return plan_mhm(options, run, ranks);
  } catch (const Error& error) {
    throw error.agreed();  // all ranks have the same options
  }
}

}  // namespace

nlohmann::ordered_json run_mhm(MpiCommunicator& comm, const RunOptions& run, const MhmOptions& options) {
  const KernelPlan plan = agreed_plan(options, run, static_cast<std::uint64_t>(comm.size()));
  const partition::Block problems = partition::even_block(options.shape.problems(), comm.rank(), comm.size());
  const std::unique_ptr<MhmOutput> output = make_output(comm, {options, run, problems});
  std::unique_ptr<ProblemSource> source;
  Values<double> values;
  const KernelBody body{.prepare =
                            [&] {
                              values = make_values<double>(problems.count * options.shape.values());
                              make_problem_folders(run.out, options, problems);
                            },
                        .output =
                            [&](std::uint64_t phase, Done& done) {
                              set_aside(comm, done, [&] {
                                if (phase == 0) {
                                  source = options.source == MhmSource::solve
                                               ? darcy_source(comm, options, problems)
                                               : random_source(comm, options, run.seed, problems);
                                  output->prepare();
                                }
                                source->fill(phase, values);
                              });
                              output->write(phase, values, done);
                            },
                        .afterwards =
                            [&] {
                              return nlohmann::json{{"source", options.source == MhmSource::solve ? "solve" : "random"},
                                                    {"format", options.format == TextFormat::fast ? "fast" : "stdio"},
                                                    {"threads", options.threads}};
                            }};
  return run_kernel(comm, run, plan, body);
}

}  // namespace weft::kernels::mhm
