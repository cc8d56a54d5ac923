#include "kernels/picmss/picmss_kernel.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "kernels/io/series_output.hpp"
#include "kernels/picmss/picmss_rank.hpp"

namespace weft::kernels::picmss {

// A field a variable, which is taken out of the rank's array before it is put: that is in the time, as it is in MPI's
// where a type says it.
void PicmssRank::write_series(std::uint64_t phase, Done& done) {
  const auto [nx, ny, nz] = grid_.extent();
  SeriesSpec spec;
  spec.steps = options_.steps;
  spec.grid.shape = {nz, ny, nx};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    spec.grid.spacing[axis] = 1.0 / static_cast<double>(grid_.extent()[axis] - 1);
  }
  for (const std::string_view variable : kPicmssVariables) {
    FieldSpec field;
    field.name = variable;
    field.per_step = {nz, ny, nx};
    field.owned = partition::Ownership::boxes(field.per_step, grid_.boxes_of(lines_));
    spec.fields.push_back(std::move(field));
  }
  std::vector<double> own(nodes_.count);
  SeriesOutput series(comm_, picmss_file(run_.out, options_, phase), std::move(spec), run_,
                      FileAccount{done.app, done.system, done.times});
  for (std::uint64_t step = 0; step < options_.steps; ++step) {
    compute(phase, step, done);
    for (std::size_t v = 0; v < kPicmssVariables.size() && !own.empty(); ++v) {
      timed(done.times.write, [&] {
        const double* value = values_.data() + kPicmssVariables.size() * (nodes_.first - held_.first) + v;
        for (std::uint64_t node = 0; node < own.size(); ++node) own[node] = value[kPicmssVariables.size() * node];
      });
      series.put(kPicmssVariables[v], std::span<const double>(own));
    }
    series.end_step(static_cast<double>(phase * options_.steps + step));
  }
  series.close();
}

nlohmann::ordered_json run_picmss(MpiCommunicator& comm, const RunOptions& run, const PicmssOptions& options) {
  KernelPlan plan;
  std::optional<PicmssRank> rank;
  agree_on(comm, [&] {
    plan = plan_picmss(options, run, static_cast<std::uint64_t>(comm.size()));
    rank.emplace(comm, run, options);
  });
  const auto output = [&](std::uint64_t phase, Done& done) {
    switch (options.strategy) {
      case PicmssStrategy::reopen_elementwise: rank->write_elementwise(phase, done); break;
      case PicmssStrategy::typed:
      case PicmssStrategy::typed_collective: rank->write_typed(phase, done); break;
      case PicmssStrategy::series: rank->write_series(phase, done); break;
    }
    done.bytes = done.app.bytes();
  };
  return run_kernel(comm, run, plan, {.prepare = [&] { rank->prepare(); }, .output = output});
}

}  // namespace weft::kernels::picmss
