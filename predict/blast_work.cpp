#include <algorithm>

#include "kernels/blast/blast_nodes.hpp"
#include "predict/kernel_work.hpp"

namespace weft::predict {

namespace {

using kernels::blast::BlastOptions;
using kernels::blast::BlastStrategy;
using stores::Sharing;

// Workers of a node that compute at a time while its writer compresses: with more ranks than cores the others wait.
double busy_workers(std::uint64_t workers, std::uint64_t node_ranks, const Surroundings& around) {
  const std::uint64_t ranks = around.ranks_per_node == 0 ? around.ranks : around.ranks_per_node;
  const auto all = static_cast<double>(workers);
  if (around.cores == 0 || ranks <= around.cores) return all;
  const double cores = static_cast<double>(node_ranks * around.cores) / static_cast<double>(ranks);
  return std::clamp(cores - 1, std::min(1.0, all), all);
}

// Between two calls of fseek printf's library writes whole buffers as they come, and the rest from its buffer.
Requests requests_at_store(const BlastOptions& options, const kernels::KernelPlan& plan, const Surroundings& around) {
  if (options.strategy == BlastStrategy::two_stage) return requests_of(plan);
  Requests sum;
  for (const auto& [bytes, times] : plan.app.write_sizes) {
    const double writes = (bytes >= around.stdio_bytes ? 1 : 0) + (bytes % around.stdio_bytes > 0 ? 1 : 0);
    sum.add({writes, static_cast<double>(bytes)}, static_cast<double>(times));
  }
  return sum;
}

}  // namespace

// A writer of each node compresses what its workers make. One by one, they make the next results meanwhile; gathered, a
// block begins when its last result is there.
Workload work_of(const BlastOptions& options, const kernels::RunOptions& run, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_blast(options, run, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  const kernels::blast::BlastNodes nodes = blast_nodes(options, around.ranks);
  const auto share = 1 / static_cast<double>(nodes.count());
  const double text = plan.facts.at("text_bytes").get<double>() * share;
  const bool is_zlib = codec_of(options) == kernels::blast::Codec::zlib;
  const double compressing = text / (is_zlib ? around.rates.zlib : around.rates.libdeflate);
  const double making = text / around.rates.results / busy_workers(nodes[0].workers(), nodes[0].ranks, around);
  RankSteps writer;
  writer.call("open", "create", static_cast<double>(run.phases));
  if (options.strategy == BlastStrategy::two_stage) {
    const auto block = static_cast<double>(options.collect_bytes);
    writer.spend("wait", making * std::min(1.0, block / std::max(text, 1.0)));
    writer.spend("wait", std::max(0.0, (making - compressing) * (1 - std::min(1.0, block / std::max(text, 1.0)))));
  } else {
    writer.spend("wait", std::max(0.0, making - compressing));
  }
  writer.travel("wait", static_cast<std::uint64_t>(text));
  writer.spend("compress", compressing);
  for (const auto& [bytes, times] : plan.app.write_sizes) {
    writer.write("write", Sharing::own_files, bytes, static_cast<double>(times) * share);
  }
  writer.meet("close");
  RankSteps others;
  others.meet("close");
  work.groups = {{nodes.count(), writer.steps()}};
  if (around.ranks > nodes.count()) work.groups.push_back({around.ranks - nodes.count(), others.steps()});
  work.at_store = requests_at_store(options, plan, around);
  if (!plan.sizes_known) work.leaves_out.emplace_back("how long compressed results are: that is estimated");
  return work;
}

}  // namespace weft::predict
