#include "kernels/blast/blast_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/blast/node_file.hpp"
#include "kernels/blast/zlib_block.hpp"
#include "weft/support/amount.hpp"

namespace weft::kernels::blast {

namespace {

constexpr double kTypicalRatio = 7.5;

// The calls of a node's file, block after block.
class FileCalls {
 public:
  FileCalls(const BlastOptions& options, Calls& calls) : options_(options), calls_(calls) {
    ++calls_.opens;
    ++calls_.closes;
  }
  void block(std::uint64_t bytes) {
    bytes_ += kHeaderBytes + bytes;
    if (options_.strategy == BlastStrategy::immediate) {
      calls_.seeks += 2;
      calls_.write(bytes);
      calls_.write(kHeaderBytes);
      return;
    }
    if (!gathering_.takes(kHeaderBytes + bytes)) end_write();
    gathering_.used += kHeaderBytes + bytes;
  }
  // Returns the bytes of the file.
  std::uint64_t end() {
    if (gathering_.used > 0) end_write();
    return bytes_;
  }

 private:
  void end_write() {
    calls_.write(gathering_.used);
    gathering_.used = 0;
  }

  const BlastOptions& options_;
  Calls& calls_;
  Filling gathering_{options_.write_bytes};
  std::uint64_t bytes_ = 0;
};

std::string tasks_text(const BlastOptions& options, const BlastTotals& totals, std::uint64_t nodes) {
  return fmt::format("{} tasks, dealt {}, to {} {}: {} of XML in {} {}", format_count(options.tasks),
                     options.dealing == Dealing::fixed ? "statically" : "on demand", format_count(nodes),
                     nodes == 1 ? "node" : "nodes", format_bytes(totals.text_bytes), format_count(totals.blocks),
                     totals.blocks == 1 ? "block" : "blocks");
}

}  // namespace

void visit_blocks(const BlastOptions& options, const RunOptions& run, std::uint64_t nodes,
                  const std::function<void(const BlastBlock&)>& visit) {
  const ResultSpec spec = result_spec(options, run);
  const std::uint64_t collect = options.strategy == BlastStrategy::two_stage ? options.collect_bytes : 0;
  for (std::uint64_t phase = 0; phase < run.phases; ++phase) {
    for (std::uint64_t node = 0; node < std::min(nodes, options.tasks); ++node) {
      const NodeTasks tasks = fixed_tasks(options.tasks, phase, node, nodes);
      BlastBlock block{.node = node, .phase = phase};
      for (std::uint64_t i = 0; i < tasks.count; ++i) {
        const std::uint64_t bytes = result_bytes(spec, tasks[i]);
        if (!Filling{collect, block.text_bytes}.takes(bytes)) {
          visit(block);
          block = {.node = node, .phase = phase, .first = i};
        }
        ++block.count;
        block.text_bytes += bytes;
      }
      visit(block);
    }
  }
}

BlastTotals blast_totals(const BlastOptions& options, const RunOptions& run, std::uint64_t nodes) {
  BlastTotals totals;
  visit_blocks(options, run, nodes, [&](const BlastBlock& block) {
    ++totals.blocks;
    totals.text_bytes += block.text_bytes;
  });
  return totals;
}

std::vector<std::uint64_t> made_lengths(const BlastOptions& options, const RunOptions& run, std::uint64_t nodes,
                                        std::uint64_t part, std::uint64_t parts) {
  const ResultSpec spec = result_spec(options, run);
  CompressedLength length(codec_of(options));
  std::vector<std::uint64_t> lengths;
  visit_blocks(options, run, nodes, [&](const BlastBlock& block) {
    const bool mine = lengths.size() % parts == part;
    const NodeTasks tasks = fixed_tasks(options.tasks, block.phase, block.node, nodes);
    for (std::uint64_t i = block.first; mine && i < block.first + block.count; ++i) {
      std::string text;
      append_result(text, spec, tasks[i]);
      length.add(text);
    }
    lengths.push_back(mine ? length.finish() : 0);
  });
  return lengths;
}

KernelPlan plan_blast(const BlastOptions& options, const RunOptions& run, std::uint64_t ranks,
                      const std::vector<std::uint64_t>& lengths) {
  check_blast(options, run);
  const BlastNodes nodes = blast_nodes(options, ranks);
  const BlastTotals totals = blast_totals(options, run, nodes.count());
  const bool made = !lengths.empty();
  const std::uint64_t mean_text = totals.text_bytes / totals.blocks;
  const auto estimated = static_cast<std::uint64_t>(static_cast<double>(mean_text) / kTypicalRatio);

  KernelPlan plan;
  plan.kernel = "blast";
  plan.strategy = name_of(options.strategy);
  plan.ranks = ranks;
  plan.files = nodes.count() * run.phases;
  std::vector<std::uint64_t> node_bytes(nodes.count(), 0);
  std::optional<FileCalls> file;
  BlastBlock last;
  std::uint64_t number = 0;
  std::uint64_t filled = 0;  // files
  visit_blocks(options, run, nodes.count(), [&](const BlastBlock& block) {
    if (!file || block.node != last.node || block.phase != last.phase) {
      if (file) node_bytes[last.node] += file->end();
      file.emplace(options, plan.app);
      ++filled;
    }
    file->block(made ? lengths[number] : estimated);
    ++number;
    last = block;
  });
  node_bytes[last.node] += file->end();
  plan.app.opens += plan.files - filled;  // of nodes without a task
  plan.app.closes += plan.files - filled;

  plan.file_bytes = plan.app.bytes();
  const auto [least, most] = std::minmax_element(node_bytes.begin(), node_bytes.end());
  plan.min_bytes = nodes.count() == ranks ? *least : 0;  // else there are ranks that do not write
  plan.max_bytes = *most;
  // Blocks of one result each, all in one file: the dealing changes nothing but their order.
  const bool any_order = options.strategy == BlastStrategy::immediate && nodes.count() == 1;
  plan.sizes_known = made && (options.dealing == Dealing::fixed || any_order);
  plan.facts = {{"tasks", options.tasks},
                {"nodes", nodes.count()},
                {"ranks_per_node", nodes.per_node},
                {"deal", name_of(options.dealing)},
                {"codec", name_of(codec_of(options))},
                {"text_bytes", totals.text_bytes},
                {"blocks", totals.blocks},
                {"sizes", plan.sizes_known ? "exact" : "estimated"}};
  plan.about.push_back(tasks_text(options, totals, nodes.count()));
  if (!made) {
    plan.about.push_back(fmt::format("lengths of blocks are estimated at {} : 1; there is more than {} of text",
                                     kTypicalRatio, format_bytes(kMadeBytes)));
  } else if (!plan.sizes_known) {
    plan.about.emplace_back("lengths of blocks are those of --deal static; on demand they depend on who asks first");
  }
  return plan;
}

KernelPlan plan_blast(const BlastOptions& options, const RunOptions& run, std::uint64_t ranks) {
  check_blast(options, run);
  const std::uint64_t nodes = blast_nodes(options, ranks).count();
  const bool few = blast_totals(options, run, nodes).text_bytes <= kMadeBytes;
  return plan_blast(options, run, ranks, few ? made_lengths(options, run, nodes, 0, 1) : std::vector<std::uint64_t>{});
}

}  // namespace weft::kernels::blast
