#include <algorithm>

#include "kernels/ecg/box_mesh.hpp"
#include "kernels/ecg/ecg_plan.hpp"
#include "kernels/ecg/source_writer.hpp"
#include "predict/kernel_work.hpp"
#include "predict/series_work.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/series/file_plan.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

using kernels::ecg::EcgOptions;
using stores::Sharing;

// Points of three doubles; and of each tetrahedron four corners, an offset and a type, as VTKHDF has them.
std::uint64_t mesh_bytes(const EcgOptions& options, std::uint64_t nodes) {
  if (!options.mesh || options.source != "synthetic") return 0;
  const kernels::ecg::BoxMesh box = kernels::ecg::box_mesh(nodes);
  return 24 * nodes + (5 * box.cubes() + box.vertices()) * (4 * 8 + 8 + 1);
}

// A collective write of HDF5 for each step, or for all steps of a chunk.
class HeartRank {
 public:
  HeartRank(const EcgOptions& options, const Surroundings& around) : options_(options), around_(around) {}

  void begin(std::uint64_t mesh_bytes) {
    rank_.call("open", "mpi start");
    rank_.call("open", "hdf5 start");
    rank_.call("open", "series open");
    write_mesh(rank_, mesh_bytes, around_.ranks, around_.most_request_bytes, around_.rates);
    written_ = mesh_bytes / around_.ranks;
  }

  void field(const FieldSpec& spec, std::uint64_t steps) {
    const Shape chunk =
        series::choose_layout(spec, 1, steps, static_cast<int>(around_.ranks), options_.align_bytes).chunk;
    const std::uint64_t nodes = ceil_div(spec.per_step[0], around_.ranks);
    const std::uint64_t node_bytes = element_count(spec.per_step) / spec.per_step[0] * size_of(spec.type);
    const bool cached = options_.mpi.strategy == Strategy::cached;
    const std::uint64_t gathered = cached ? std::min(chunk[0], steps) : 1;
    const auto calls = static_cast<double>(ceil_div(steps, gathered));
    // A piece is what lies together in the file: the steps of a chunk that is wholly the rank's, or one step of one.
    const std::uint64_t chunk_nodes = std::min(chunk[1], nodes);
    const bool whole = cached && chunk[1] <= nodes;
    const std::uint64_t piece = chunk_nodes * node_bytes * (whole ? gathered : 1);
    double pieces = static_cast<double>(nodes) / static_cast<double>(chunk_nodes) * calls *
                    (whole ? 1 : static_cast<double>(gathered));
    if (whole && around_.ranks > 1) {
      // Half a chunk at the border between ranks: each step of it lies apart.
      const double at_border = calls * static_cast<double>(gathered);
      rank_.call("write", "series piece", at_border);
      rank_.write("write", Sharing::in_turn, std::max<std::uint64_t>(1, chunk_nodes / 2) * node_bytes, at_border);
      pieces -= calls / 2;
    }
    const double bytes = static_cast<double>(nodes * node_bytes * steps);
    // The steps of one chunk are gathered in memory that is new the first time.
    const double fresh = cached ? bytes * static_cast<double>(gathered) / static_cast<double>(steps) : 0;
    rank_.spend("write", fresh / around_.rates.fresh_copy + (bytes - fresh) / around_.rates.copy);
    rank_.call("write", "series step", calls);
    if (pieces > calls) rank_.call("write", "series piece", pieces);
    rank_.write("write", pieces > calls * 2 ? Sharing::in_turn : Sharing::apart, piece, pieces);
    written_ += nodes * node_bytes * steps;
  }

  std::vector<Step> end() {
    rank_.meet("close");
    if (options_.writer.sync != Sync::none) rank_.sync("close", written_);
    return rank_.steps();
  }

 private:
  const EcgOptions& options_;
  const Surroundings& around_;
  std::uint64_t written_ = 0;
  RankSteps rank_;
};

}  // namespace

Workload work_of(const EcgOptions& options, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_ecg(options, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  const auto [planned, nodes, steps] = kernels::ecg::planned_steps(options);
  std::vector<FieldSpec> fields;
  for (const kernels::ecg::SourceField& field : planned) fields.push_back(field_spec(field, options));
  if (options.source == "replay") work.leaves_out.emplace_back("the file's mesh, if it has one");
  if (!options.filters.empty()) work.leaves_out.emplace_back("filtering the chunks, and that they become smaller");
  if (options.ownership != "blocks") {
    work.leaves_out.push_back("that nodes are dealt " + options.ownership + ": blocks are assumed");
  }
  if (options.mpi.strategy != Strategy::owner) {
    HeartRank rank(options, around);
    rank.begin(mesh_bytes(options, nodes));
    for (const FieldSpec& field : fields) rank.field(field, steps);
    work.groups = {{around.ranks, rank.end()}};
    return work;
  }
  SeriesShape shape;
  shape.fields = fields;
  shape.steps = steps;
  shape.ranks = around.ranks;
  shape.ranks_per_node = around.ranks_per_node;
  shape.budget_bytes = options.writer.budget_bytes;
  shape.align_bytes = options.align_bytes;
  shape.most_request_bytes = around.most_request_bytes;
  shape.mesh_bytes = mesh_bytes(options, nodes);
  shape.syncs = options.writer.sync != Sync::none;
  shape.writers = options.writer.writers;
  write_series(shape, around.rates, 1, work);
  return work;
}

std::pair<std::vector<std::pair<std::string, double>>, double> reads_of(const EcgOptions& options,
                                                                        const Surroundings& around) {
  const auto [fields, nodes, steps] = kernels::ecg::planned_steps(options);
  SeriesShape shape;
  for (const kernels::ecg::SourceField& field : fields) shape.fields.push_back(field_spec(field, options));
  shape.steps = steps;
  shape.ranks = around.ranks;
  shape.align_bytes = options.align_bytes;
  return reads_of(shape);
}

}  // namespace weft::predict
