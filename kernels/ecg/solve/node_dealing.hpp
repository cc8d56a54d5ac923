// kernels/ecg/solve/node_dealing.hpp - which rank solves for which node, and where the node stands in the equations.
//
// A rank's nodes are its heart nodes and then the others, both ascending. In the equations rank 0's nodes come first,
// then rank 1's and so on, as PETSc wants them; so a rank's local values of the heart's equations are the first ones of
// its local values of the whole. Pure data; every rank holds the places of all nodes (8 bytes a node).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::kernels::ecg {

class NodeDealing {
 public:
  // `rank_of` says for each node whose it is; the first `heart_nodes` are the heart's.
  NodeDealing(std::span<const std::int32_t> rank_of, std::uint64_t heart_nodes, int rank, int ranks);

  // This rank's, ascending.
  const std::vector<std::int32_t>& heart() const { return heart_; }
  const std::vector<std::int32_t>& rest() const { return rest_; }
  std::int32_t local_heart() const { return static_cast<std::int32_t>(heart_.size()); }
  std::int32_t local() const { return static_cast<std::int32_t>(heart_.size() + rest_.size()); }

  // The equation of a node, among those of the heart (heart nodes only) and among all.
  std::int32_t heart_equation(std::int32_t node) const { return heart_equations_[static_cast<std::size_t>(node)]; }
  std::int32_t equation(std::int32_t node) const { return equations_[static_cast<std::size_t>(node)]; }
  // The first of this rank's.
  std::int32_t first_heart_equation() const { return first_heart_; }
  std::int32_t first_equation() const { return first_; }
  // A node's place among this rank's values, or -1.
  std::int32_t local_of(std::int32_t node) const {
    const std::int32_t place = equation(node) - first_;
    return place >= 0 && place < local() ? place : -1;
  }

 private:
  std::vector<std::int32_t> heart_;
  std::vector<std::int32_t> rest_;
  std::vector<std::int32_t> heart_equations_;
  std::vector<std::int32_t> equations_;
  std::int32_t first_heart_ = 0;
  std::int32_t first_ = 0;
};

// The heart's nodes in even contiguous blocks, and so the others: every rank has its share of the cells' work.
std::vector<std::int32_t> contiguous_ranks(std::uint64_t nodes, std::uint64_t heart_nodes, int ranks);

}  // namespace weft::kernels::ecg
