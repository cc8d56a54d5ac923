#include <fmt/format.h>

#include "kernels/ecg/step_source.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

namespace {

constexpr std::uint64_t kScatter =
    2654435761;  // Knuth's multiplicative hash (TAOCP 3, 6.4): the prime nearest 2^32 / phi

// Shares 0, 2, 3, 0, 5, 6, 0, ... add up to the whole; a lone rank has everything.
std::uint64_t weight(int rank, int ranks) {
  if (ranks == 1) return 1;
  return rank % 3 == 0 ? 0 : static_cast<std::uint64_t>(rank) + 1;
}

}  // namespace

Dealing parse_dealing(const std::string& text) {
  if (text == "blocks") return Dealing::blocks;
  if (text == "uneven") return Dealing::uneven;
  if (text == "scatter") return Dealing::scatter;
  throw Error(ErrorKind::usage, fmt::format("ownership '{}'", text), "is not known", "use blocks, uneven or scatter");
}

std::vector<std::uint64_t> dealt_counts(Dealing dealing, std::uint64_t nodes, std::uint64_t ranks) {
  std::vector<std::uint64_t> counts(ranks);
  if (dealing == Dealing::scatter) {
    for (std::uint64_t n = 0; n < nodes; ++n) ++counts[(n * kScatter & 0xffffffff) % ranks];
    return counts;
  }
  std::uint64_t all = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) all += weight(static_cast<int>(r), static_cast<int>(ranks));
  std::uint64_t before = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    if (dealing == Dealing::blocks) {
      counts[r] = partition::even_block(nodes, static_cast<int>(r), static_cast<int>(ranks)).count;
      continue;
    }
    const std::uint64_t end = before + weight(static_cast<int>(r), static_cast<int>(ranks));
    counts[r] = nodes * end / all - nodes * before / all;
    before = end;
  }
  return counts;
}

std::vector<std::uint64_t> dealt_nodes(Dealing dealing, std::uint64_t nodes, int rank, int ranks) {
  std::vector<std::uint64_t> mine;
  if (dealing == Dealing::scatter) {
    for (std::uint64_t n = nodes; n-- > 0;) {
      if ((n * kScatter & 0xffffffff) % static_cast<std::uint64_t>(ranks) == static_cast<std::uint64_t>(rank)) {
        mine.push_back(n);
      }
    }
    return mine;
  }
  partition::Block block = partition::even_block(nodes, rank, ranks);
  if (dealing == Dealing::uneven) {
    std::uint64_t before = 0;
    std::uint64_t all = 0;
    for (int r = 0; r < ranks; ++r) {
      if (r < rank) before += weight(r, ranks);
      all += weight(r, ranks);
    }
    const std::uint64_t end = nodes * (before + weight(rank, ranks)) / all;
    block.first = nodes * before / all;
    block.count = end - block.first;
  }
  for (std::uint64_t i = 0; i < block.count; ++i) mine.push_back(block.first + i);
  return mine;
}

}  // namespace weft::kernels::ecg
