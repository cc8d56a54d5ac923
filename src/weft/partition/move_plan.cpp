#include "weft/partition/move_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "weft/support/error.hpp"

namespace weft::partition {

int owner_of(std::uint64_t tile, std::uint64_t tiles, std::uint64_t valid_elements, std::span<const Holder> holders,
             const Writers& writers, OwnerRule rule) {
  if (rule == OwnerRule::in_order) return static_cast<int>(tile);
  for (const Holder& holder : holders) {  // as most tiles are, where ranks hold stretches
    if (2 * holder.elements > valid_elements && writers.writer_of(holder.rank) == holder.rank) return holder.rank;
  }
  const int dealt = writers.all()[static_cast<std::size_t>(block_of(tile, tiles, writers.count()))];
  std::map<int, std::uint64_t> of_writer;  // elements of the ranks that it stands for
  std::map<int, std::uint64_t> of_node;
  for (const Holder& holder : holders) {
    const std::optional<int> writer = writers.writer_of(holder.rank);
    if (!writer) continue;
    of_node[writers.node_of(holder.rank)] += holder.elements;
    const std::uint64_t held = of_writer[*writer] += holder.elements;
    if (2 * held > valid_elements) return *writer;
  }
  std::pair<std::uint64_t, int> most{of_node[writers.node_of(dealt)], writers.node_of(dealt)};
  const std::uint64_t stays = most.first;
  for (const auto& [node, elements] : of_node) {
    if (elements > most.first) most = {elements, node};
  }
  // Even shares, unless more than a tenth more would travel between nodes than has to.
  if (10 * (valid_elements - stays) <= 11 * (valid_elements - most.first)) return dealt;
  const std::span<const int> here = writers.on_node(most.second);
  return here[tile % here.size()];
}

void check_cover(const TileGrid& grid, std::uint64_t tile, std::span<const Piece> pieces, const std::string& field) {
  std::uint64_t end = 0;
  std::uint64_t covered = 0;
  for (const Piece& piece : pieces) {
    if (piece.offset < end) {
      throw Error(ErrorKind::usage, "field " + field,
                  fmt::format("element {} of a step is owned by two ranks", grid.global_of(tile, piece.offset)),
                  "let one rank own it and name it a ghost on the others");
    }
    end = piece.offset + piece.length;
    covered += piece.length;
  }
  if (covered == grid.valid_elements(tile)) return;
  // Find the first hole: walk the tile's valid elements in order beside the pieces.
  auto next = pieces.begin();
  for (std::uint64_t offset = 0; offset < grid.tile_elements(); ++offset) {
    if (next != pieces.end() && offset == next->offset) {
      offset += next->length - 1;
      ++next;
      continue;
    }
    const std::uint64_t global = grid.global_of(tile, offset);
    if (grid.is_padding(tile, offset)) continue;
    throw Error(ErrorKind::usage, "field " + field, fmt::format("element {} of a step is owned by no rank", global),
                "every node needs one owner; a field on some of the nodes is declared on those alone");
  }
}

MovePlan assemble(int rank, std::span<const Piece> mine, std::span<const int> owners, std::vector<std::uint64_t> tiles,
                  std::vector<Contribution> others) {
  MovePlan plan;
  std::sort(tiles.begin(), tiles.end());
  plan.tiles = std::move(tiles);
  const auto slot_of = [&](std::uint64_t tile) {
    const auto found = std::lower_bound(plan.tiles.begin(), plan.tiles.end(), tile);
    return static_cast<std::uint64_t>(found - plan.tiles.begin());
  };
  std::map<int, Outbound> outbound;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Piece& piece = mine[i];
    if (owners[i] == rank) {
      plan.copies.push_back({slot_of(piece.tile), piece.offset, piece.local, piece.length});
      continue;
    }
    Outbound& message = outbound.try_emplace(owners[i], Outbound{owners[i], 0, {}}).first->second;
    message.runs.push_back({0, piece.local, piece.length});
    message.elements += piece.length;
    plan.sent_elements += piece.length;
  }
  for (auto& [peer, message] : outbound) plan.outbound.push_back(std::move(message));
  std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.peer < b.peer; });
  for (const Contribution& other : others) {
    if (other.pieces.empty()) continue;
    Inbound message{other.peer, 0, {}};
    for (const Piece& piece : other.pieces) {
      message.places.push_back({slot_of(piece.tile), piece.offset, message.elements, piece.length});
      message.elements += piece.length;
    }
    plan.received_elements += message.elements;
    plan.inbound.push_back(std::move(message));
  }
  return plan;
}

std::vector<MovePlan> plan_moves(const TileGrid& grid, std::span<const Ownership> ownerships, const Writers& writers,
                                 OwnerRule rule, const std::string& field) {
  const int ranks = static_cast<int>(ownerships.size());
  std::vector<std::vector<Piece>> pieces;
  std::map<std::uint64_t, std::vector<std::pair<int, Piece>>> by_tile;
  for (int r = 0; r < ranks; ++r) {
    pieces.push_back(grid.cut(ownerships[static_cast<std::size_t>(r)]));
    for (const Piece& piece : pieces.back()) by_tile[piece.tile].emplace_back(r, piece);
  }
  std::vector<std::vector<std::uint64_t>> tiles(ownerships.size());
  std::map<std::uint64_t, int> owners;
  for (std::uint64_t tile = 0; tile < grid.tiles(); ++tile) {
    std::vector<Piece> cover;
    std::map<int, std::uint64_t> held;
    for (const auto& [r, piece] : by_tile[tile]) {
      cover.push_back(piece);
      held[r] += piece.length;
    }
    std::sort(cover.begin(), cover.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    check_cover(grid, tile, cover, field);
    std::vector<Holder> holders;
    holders.reserve(held.size());
    for (const auto& [r, elements] : held) holders.push_back({r, elements});
    owners[tile] = owner_of(tile, grid.tiles(), grid.valid_elements(tile), holders, writers, rule);
    tiles[static_cast<std::size_t>(owners[tile])].push_back(tile);
  }
  std::vector<std::vector<Contribution>> others(ownerships.size());
  for (int r = 0; r < ranks; ++r) {
    std::map<int, std::vector<Piece>> for_owner;
    for (const Piece& piece : pieces[static_cast<std::size_t>(r)]) for_owner[owners[piece.tile]].push_back(piece);
    for (auto& [owner, list] : for_owner) {
      if (owner != r) others[static_cast<std::size_t>(owner)].push_back({r, std::move(list)});
    }
  }
  std::vector<MovePlan> plans;
  for (int r = 0; r < ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    std::vector<int> piece_owners;
    for (const Piece& piece : pieces[at]) piece_owners.push_back(owners[piece.tile]);
    plans.push_back(assemble(r, pieces[at], piece_owners, std::move(tiles[at]), std::move(others[at])));
  }
  return plans;
}

}  // namespace weft::partition
