// weft/partition/writers.hpp - which ranks write chunks, and on which node each rank is.
//
// On many ranks not all should write: a node has one way to the file system, and a store has few servers. A writer
// stands for the ranks around it on its node. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::partition {

// How many ranks write: all, so many on each node, or so many in all.
struct WriterLimit {
  std::uint64_t per_node = 0;  // 0: no limit, here and below
  std::uint64_t in_all = 0;
  bool operator==(const WriterLimit&) const = default;
};

// "all", "4/node" or "16". Throws Error(usage).
WriterLimit parse_writers(std::string_view text, std::string_view what = "writers");
std::string text_of(const WriterLimit& limit);

// Where nobody says: 8 a node on several nodes, as few clients fill a store and a node's way to it; all on one node,
// and where chunks are filtered, which takes every core.
WriterLimit usual_writers(std::span<const std::uint64_t> nodes, bool filters);

class Writers {
 public:
  // Every rank, all on one node.
  explicit Writers(int ranks);
  // `nodes`: a number for each rank, the same for ranks of one node. Of a node with n ranks and w writers, every n/w-th
  // rank writes. Where there are so many in all, nodes have as many as they can have alike, the first ones one more; if
  // there are fewer than nodes, they are spread over them.
  Writers(std::span<const std::uint64_t> nodes, const WriterLimit& limit);

  int ranks() const { return static_cast<int>(node_.size()); }
  int count() const { return static_cast<int>(writers_.size()); }
  int nodes() const { return static_cast<int>(first_.size()) - 1; }
  int node_of(int rank) const { return node_[static_cast<std::size_t>(rank)]; }
  // Who stands for a rank: a writer of its node; nothing where that has none.
  std::optional<int> writer_of(int rank) const;
  // In the order of nodes, then of ranks.
  std::span<const int> all() const { return writers_; }
  std::span<const int> on_node(int node) const;

 private:
  std::vector<int> node_;     // of each rank, from 0 on, in the order in which they appear
  std::vector<int> place_;    // of each rank, on its node
  std::vector<int> on_;       // ranks of each node
  std::vector<int> writers_;  // ranks, node by node
  std::vector<int> first_;    // of each node, in writers_; and the end
};

}  // namespace weft::partition

#pragma GCC visibility pop
