#include "kernels/blast/blast_options.hpp"

#include <fmt/format.h>

#include "kernels/blast/node_file.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::blast {

namespace {

constexpr std::uint64_t kMostTasks = 10'000'000;  // a plan looks at each
constexpr std::uint64_t kMostMessage = 0x7fffffff - 64;

[[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::usage, where, what, remedy);
}

}  // namespace

std::string name_of(BlastStrategy strategy) { return strategy == BlastStrategy::immediate ? "immediate" : "two-stage"; }

std::string name_of(Dealing dealing) { return dealing == Dealing::fixed ? "static" : "demand"; }

BlastStrategy parse_blast_strategy(const std::string& text) {
  for (const BlastStrategy strategy : {BlastStrategy::immediate, BlastStrategy::two_stage}) {
    if (text == name_of(strategy)) return strategy;
  }
  refuse(fmt::format("strategy '{}'", text), "is not known", "use immediate or two-stage");
}

Dealing parse_dealing(const std::string& text) {
  for (const Dealing dealing : {Dealing::fixed, Dealing::on_demand}) {
    if (text == name_of(dealing)) return dealing;
  }
  refuse(fmt::format("--deal '{}'", text), "is not known", "use static or demand");
}

std::string name_of(Codec codec) { return codec == Codec::zlib ? "zlib" : "libdeflate"; }

Codec parse_codec(const std::string& text) {
  for (const Codec codec : {Codec::zlib, Codec::libdeflate}) {
    if (text == name_of(codec)) return codec;
  }
  refuse(fmt::format("--codec '{}'", text), "is not known", "use zlib or libdeflate");
}

Codec codec_of(const BlastOptions& options) {
  return options.codec.value_or(options.strategy == BlastStrategy::immediate ? Codec::zlib : Codec::libdeflate);
}

void check_blast(const BlastOptions& options, const RunOptions& run) {
  if (options.tasks == 0) refuse("--tasks 0", "is no search", "give 1 or more");
  if (options.tasks > kMostTasks || run.phases > kMostTasks / options.tasks) {
    refuse(fmt::format("--tasks {}", options.tasks), fmt::format("are too many for {} phases", run.phases),
           fmt::format("give {} or fewer in all phases", format_count(kMostTasks)));
  }
  if (options.ranks_per_node && *options.ranks_per_node == 0) {
    refuse("--ranks-per-node 0", "is no node", "give 1 or more, or leave it out: all ranks on one node");
  }
  if (options.result_bytes < kLeastMeanBytes) {
    refuse(fmt::format("--result-size {}", options.result_bytes), "is too short for the hits of a query",
           fmt::format("give {} or more", format_bytes(kLeastMeanBytes)));
  }
  if (options.result_bytes > kMostMessage / 3 * 2) {
    refuse(fmt::format("--result-size {}", options.result_bytes),
           "is too long: a result may be half as long again, and goes from rank to rank in one message",
           fmt::format("give {} or less", kMostMessage / 3 * 2));
  }
  if (options.collect_bytes == 0) refuse("--collect 0", "collects nothing", "give a size, 768MiB say");
  if (options.write_bytes == 0) refuse("--write 0", "holds nothing", "give a size, 768MiB say");
  if (options.strategy == BlastStrategy::two_stage && !fits_header(options.collect_bytes)) {
    refuse(fmt::format("--collect {}", options.collect_bytes),
           "could make a block of more than 4 GiB, whose length 4 bytes cannot tell", "give 4090MiB or less");
  }
}

BlastNodes blast_nodes(const BlastOptions& options, std::uint64_t ranks) {
  return {ranks, options.ranks_per_node.value_or(ranks)};
}

ResultSpec result_spec(const BlastOptions& options, const RunOptions& run) { return {run.seed, options.result_bytes}; }

std::string node_file_name(std::uint64_t node, std::uint64_t phase) {
  return phase == 0 ? fmt::format("node_{:04}.blast", node) : fmt::format("node_{:04}.{}.blast", node, phase);
}

NodeTasks fixed_tasks(std::uint64_t tasks, std::uint64_t phase, std::uint64_t node, std::uint64_t nodes) {
  return {phase * tasks + node, nodes, node < tasks ? (tasks - node - 1) / nodes + 1 : 0};
}

}  // namespace weft::kernels::blast
