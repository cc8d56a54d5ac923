#include "weft/partition/writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <unordered_map>

#include "weft/partition/ownership.hpp"
#include "weft/support/error.hpp"

namespace weft::partition {

WriterLimit parse_writers(std::string_view text, std::string_view what) {
  if (text == "all") return {};
  constexpr std::string_view kPerNode = "/node";
  const bool per_node = text.ends_with(kPerNode);
  const std::string_view digits = per_node ? text.substr(0, text.size() - kPerNode.size()) : text;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number == 0) {
    throw Error(ErrorKind::usage, fmt::format("{} '{}'", what, text), "is no number of ranks that write",
                "use auto, all, 4/node or 16");
  }
  return per_node ? WriterLimit{number, 0} : WriterLimit{0, number};
}

std::string text_of(const WriterLimit& limit) {
  if (limit.per_node > 0) return fmt::format("{}/node", limit.per_node);
  return limit.in_all > 0 ? std::to_string(limit.in_all) : "all";
}

WriterLimit usual_writers(std::span<const std::uint64_t> nodes, bool filters) {
  constexpr std::uint64_t kOfANode = 8;
  const bool several = std::adjacent_find(nodes.begin(), nodes.end(), std::not_equal_to<>()) != nodes.end();
  return several && !filters ? WriterLimit{kOfANode, 0} : WriterLimit{};
}

namespace {

// Of `nodes` nodes, how many writers this one has where there are `wanted` in all.
std::uint64_t share(std::uint64_t wanted, std::uint64_t node, std::uint64_t nodes) {
  if (wanted >= nodes) return wanted / nodes + (node < wanted % nodes ? 1 : 0);
  // The k-th of them is on node k * nodes / wanted.
  return (node * wanted + nodes - 1) / nodes * nodes / wanted == node ? 1 : 0;
}

}  // namespace

Writers::Writers(int ranks) : Writers(std::vector<std::uint64_t>(static_cast<std::size_t>(ranks)), {}) {}

Writers::Writers(std::span<const std::uint64_t> nodes, const WriterLimit& limit) {
  std::unordered_map<std::uint64_t, int> known;
  std::vector<std::vector<int>> ranks;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const int node = known.try_emplace(nodes[rank], static_cast<int>(ranks.size())).first->second;
    if (static_cast<std::size_t>(node) == ranks.size()) ranks.emplace_back();
    node_.push_back(node);
    place_.push_back(static_cast<int>(ranks[static_cast<std::size_t>(node)].size()));
    ranks[static_cast<std::size_t>(node)].push_back(static_cast<int>(rank));
  }
  for (std::size_t node = 0; node < ranks.size(); ++node) {
    const std::uint64_t here = ranks[node].size();
    std::uint64_t writers = limit.per_node > 0 ? limit.per_node : here;
    if (limit.in_all > 0) writers = share(limit.in_all, node, ranks.size());
    writers = std::min(writers, here);
    first_.push_back(static_cast<int>(writers_.size()));
    on_.push_back(static_cast<int>(here));
    for (std::uint64_t w = 0; w < writers; ++w) {
      writers_.push_back(ranks[node][even_block(here, static_cast<int>(w), static_cast<int>(writers)).first]);
    }
  }
  first_.push_back(static_cast<int>(writers_.size()));
}

std::span<const int> Writers::on_node(int node) const {
  const auto at = static_cast<std::size_t>(node);
  return std::span(writers_).subspan(static_cast<std::size_t>(first_[at]),
                                     static_cast<std::size_t>(first_[at + 1] - first_[at]));
}

std::optional<int> Writers::writer_of(int rank) const {
  const int node = node_of(rank);
  const std::span<const int> here = on_node(node);
  if (here.empty()) return std::nullopt;
  const auto place = static_cast<std::uint64_t>(place_[static_cast<std::size_t>(rank)]);
  const auto ranks = static_cast<std::uint64_t>(on_[static_cast<std::size_t>(node)]);
  return here[static_cast<std::size_t>(block_of(place, ranks, static_cast<int>(here.size())))];
}

}  // namespace weft::partition
