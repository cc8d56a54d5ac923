#include "weft/exchange/row_directory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/exchange/messages.hpp"
#include "weft/partition/ownership.hpp"

namespace weft::exchange {

RowDirectory::RowDirectory(Communicator& comm, std::span<const ListedNode> mine, std::uint64_t nodes,
                           const std::string& field)
    : comm_(comm), nodes_(nodes) {
  const auto refused = [&](std::int64_t node, const std::string& what, std::string_view remedy) {
    return Error(ErrorKind::usage, fmt::format("field {}", field), fmt::format("node {} {}", node, what), remedy);
  };
  Messages to_homes(static_cast<std::size_t>(comm.size()));
  agree_on(comm, [&] {
    for (const ListedNode& one : mine) {
      if (one.node < 0 || static_cast<std::uint64_t>(one.node) >= nodes) {
        throw refused(one.node, fmt::format("of a mesh of {} is listed", nodes), "nodes are numbered from 0");
      }
      append(to_homes[static_cast<std::size_t>(home_of(one.node))], one);
    }
  });
  for (const std::vector<std::byte>& message : comm.all_to_all(to_homes)) {
    const std::vector<ListedNode> some = unpack<ListedNode>(message);
    known_.insert(known_.end(), some.begin(), some.end());
  }
  std::ranges::sort(known_, {}, &ListedNode::node);
  agree_on(comm, [&] {
    const auto twice = std::ranges::adjacent_find(known_, {}, &ListedNode::node);
    if (twice != known_.end()) throw refused(twice->node, "is listed twice", "list each node once");
  });
}

int RowDirectory::home_of(std::int64_t node) const {
  return partition::block_of(static_cast<std::uint64_t>(node), nodes_, comm_.size());
}

std::vector<std::int64_t> RowDirectory::rows_of(std::span<const std::int64_t> wanted) const {
  // Corners of cells that meet are asked for once. In order of the nodes, homes follow each other.
  std::vector<std::int64_t> distinct(wanted.begin(), wanted.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Messages questions(static_cast<std::size_t>(comm_.size()));
  for (const std::int64_t node : distinct) append(questions[static_cast<std::size_t>(home_of(node))], node);

  Messages answers(questions.size());
  const Messages asked = comm_.all_to_all(questions);
  for (std::size_t rank = 0; rank < asked.size(); ++rank) {
    for (const std::int64_t node : unpack<std::int64_t>(asked[rank])) {
      const auto found = std::ranges::lower_bound(known_, node, {}, &ListedNode::node);
      append(answers[rank], found != known_.end() && found->node == node ? found->row : std::int64_t{-1});
    }
  }
  std::vector<std::int64_t> rows_of_distinct;
  rows_of_distinct.reserve(distinct.size());
  for (const std::vector<std::byte>& answer : comm_.all_to_all(answers)) {
    const std::vector<std::int64_t> some = unpack<std::int64_t>(answer);
    rows_of_distinct.insert(rows_of_distinct.end(), some.begin(), some.end());
  }

  std::vector<std::int64_t> rows;
  rows.reserve(wanted.size());
  for (const std::int64_t node : wanted) {
    const auto at = std::ranges::lower_bound(distinct, node) - distinct.begin();
    rows.push_back(rows_of_distinct[static_cast<std::size_t>(at)]);
  }
  return rows;
}

}  // namespace weft::exchange
