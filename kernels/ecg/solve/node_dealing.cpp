#include "kernels/ecg/solve/node_dealing.hpp"

#include "weft/partition/ownership.hpp"

namespace weft::kernels::ecg {

NodeDealing::NodeDealing(std::span<const std::int32_t> rank_of, std::uint64_t heart_nodes, int rank, int ranks)
    : heart_equations_(heart_nodes), equations_(rank_of.size()) {
  std::vector<std::int32_t> in_heart(static_cast<std::size_t>(ranks) + 1, 0);
  std::vector<std::int32_t> in_all(static_cast<std::size_t>(ranks) + 1, 0);
  for (std::size_t n = 0; n < rank_of.size(); ++n) {
    const auto next = static_cast<std::size_t>(rank_of[n]) + 1;
    ++in_all[next];
    if (n < heart_nodes) ++in_heart[next];
  }
  for (std::size_t r = 1; r < in_all.size(); ++r) {
    in_all[r] += in_all[r - 1];
    in_heart[r] += in_heart[r - 1];
  }
  first_heart_ = in_heart[static_cast<std::size_t>(rank)];
  first_ = in_all[static_cast<std::size_t>(rank)];
  for (std::size_t n = 0; n < rank_of.size(); ++n) {
    const auto of = static_cast<std::size_t>(rank_of[n]);
    equations_[n] = in_all[of]++;
    if (n < heart_nodes) heart_equations_[n] = in_heart[of]++;
    if (rank_of[n] == rank) (n < heart_nodes ? heart_ : rest_).push_back(static_cast<std::int32_t>(n));
  }
}

std::vector<std::int32_t> contiguous_ranks(std::uint64_t nodes, std::uint64_t heart_nodes, int ranks) {
  std::vector<std::int32_t> rank_of(nodes);
  for (int rank = 0; rank < ranks; ++rank) {
    const partition::Block heart = partition::even_block(heart_nodes, rank, ranks);
    const partition::Block rest = partition::even_block(nodes - heart_nodes, rank, ranks);
    for (std::uint64_t n = 0; n < heart.count; ++n) rank_of[heart.first + n] = rank;
    for (std::uint64_t n = 0; n < rest.count; ++n) rank_of[heart_nodes + rest.first + n] = rank;
  }
  return rank_of;
}

}  // namespace weft::kernels::ecg
