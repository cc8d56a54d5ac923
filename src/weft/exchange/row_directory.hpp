// weft/exchange/row_directory.hpp - which row each of some listed nodes has, known to all ranks together.
//
// A field may stand on a list of a mesh's nodes; each rank knows the numbers of the rows that it owns, and needs to ask
// for those of other nodes. No rank holds the list: what is known of node n is held by the rank that n would be dealt
// to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/support/communicator.hpp"

namespace weft::exchange {

struct ListedNode {
  std::int64_t node;
  std::int64_t row;
};

class RowDirectory {
 public:
  // Each rank brings some of the list, of nodes below `nodes`. Collective. Throws an agreed Error(usage) on every rank
  // where a node is none of those, or is listed twice; `field` is named in it.
  RowDirectory(Communicator& comm, std::span<const ListedNode> mine, std::uint64_t nodes, const std::string& field);

  // The row of each of these nodes (all below `nodes`), or -1 where it is not listed. Collective; ranks may ask for
  // different ones, or for none.
  std::vector<std::int64_t> rows_of(std::span<const std::int64_t> wanted) const;

 private:
  int home_of(std::int64_t node) const;

  Communicator& comm_;
  std::uint64_t nodes_;
  std::vector<ListedNode> known_;  // to this rank, sorted by node
};

}  // namespace weft::exchange
