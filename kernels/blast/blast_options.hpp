// kernels/blast/blast_options.hpp - what a run of blast is asked to do, and what follows for nodes, tasks and files.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/blast/blast_nodes.hpp"
#include "kernels/blast/blast_result.hpp"
#include "kernels/blast/zlib_block.hpp"
#include "kernels/io/kernel_run.hpp"

namespace weft::kernels::blast {

enum class BlastStrategy : std::uint8_t {
  immediate,  // every result compressed and written as it comes: the original
  two_stage,  // results collected, compressed together, and compressed blocks written together
};

// How the masters deal tasks to nodes; within a node the workers always ask for theirs.
enum class Dealing : std::uint8_t {
  fixed,      // node n of N gets tasks n, n + N, ..; its file holds them in that order: the same files every time
  on_demand,  // to the node that asks next, written as they come, as the application does
};

struct BlastOptions {
  BlastStrategy strategy = BlastStrategy::immediate;
  Dealing dealing = Dealing::fixed;
  std::optional<Codec> codec{};                   // nothing: codec_of()
  std::optional<std::uint64_t> ranks_per_node{};  // nothing: all ranks are on one node
  std::uint64_t tasks = 200;                      // of a phase
  std::uint64_t result_bytes = 200ULL << 10;      // of a task, on average
  std::uint64_t collect_bytes = 768ULL << 20;     // two_stage: text that is compressed together
  std::uint64_t write_bytes = 768ULL << 20;       // two_stage: blocks that are written together
};

// "immediate", "two-stage"; "static", "demand"; "zlib", "libdeflate". Parsing throws Error(usage) for any other word.
std::string name_of(BlastStrategy strategy);
std::string name_of(Dealing dealing);
std::string name_of(Codec codec);
BlastStrategy parse_blast_strategy(const std::string& text);
Dealing parse_dealing(const std::string& text);
Codec parse_codec(const std::string& text);

// What compresses: the one that is asked for, else zlib for the original and libdeflate for two_stage.
Codec codec_of(const BlastOptions& options);

// Throws Error(usage) for what cannot be: no task, a block that its header could not tell the length of, ...
void check_blast(const BlastOptions& options, const RunOptions& run);

BlastNodes blast_nodes(const BlastOptions& options, std::uint64_t ranks);
ResultSpec result_spec(const BlastOptions& options, const RunOptions& run);

// The file of a node: node_0003.blast; of phase 2, counted from 0, node_0003.2.blast.
std::string node_file_name(std::uint64_t node, std::uint64_t phase);

// The tasks of a node where they are dealt fixed: first, first + step, ...
struct NodeTasks {
  std::uint64_t first = 0;
  std::uint64_t step = 1;
  std::uint64_t count = 0;
  std::uint64_t operator[](std::uint64_t i) const { return first + i * step; }
};
NodeTasks fixed_tasks(std::uint64_t tasks, std::uint64_t phase, std::uint64_t node, std::uint64_t nodes);

}  // namespace weft::kernels::blast
