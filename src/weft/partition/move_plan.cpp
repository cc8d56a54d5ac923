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

void check_cover(const TileGrid& grid, std::uint64_t tile, std::span<const Part> parts, const std::string& field) {
  std::uint64_t end = 0;
  std::uint64_t covered = 0;
  for (const Part& part : parts) {
    if (part.offset < end) {
      throw Error(ErrorKind::usage, "field " + field,
                  fmt::format("element {} of a step is owned by two ranks", grid.global_of(tile, part.offset)),
                  "let one rank own it and name it a ghost on the others");
    }
    end = part.offset + part.length;
    covered += part.length;
  }
  if (covered == grid.valid_elements(tile)) return;
  // Find the first hole: walk the tile's valid elements in order beside the parts.
  auto next = parts.begin();
  for (std::uint64_t offset = 0; offset < grid.tile_elements(); ++offset) {
    if (next != parts.end() && offset == next->offset) {
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

namespace {

// Lengths are of 32 bits: a longer stretch is several.
template <typename Add>
void in_stretches(std::uint64_t length, const Add& add) {
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t some = std::min<std::uint64_t>(length - done, UINT32_MAX);
    add(done, static_cast<std::uint32_t>(some));
    done += some;
  }
}

}  // namespace

std::uint64_t MovePlan::memory_bytes() const {
  std::uint64_t bytes = tiles.size() * sizeof(std::uint64_t) + copies.size() * sizeof(Copy);
  for (const Outbound& message : outbound) bytes += sizeof(Outbound) + message.runs.size() * sizeof(Taken);
  for (const Inbound& message : inbound) bytes += sizeof(Inbound) + message.places.size() * sizeof(Placed);
  return bytes;
}

MovePlan assemble(int rank, std::span<const Piece> mine, std::span<const int> owners, std::vector<std::uint64_t> tiles,
                  std::vector<Contribution> others) {
  MovePlan plan;
  std::sort(tiles.begin(), tiles.end());
  plan.tiles = std::move(tiles);
  const auto slot_of = [&](std::uint64_t tile) {
    const auto found = std::lower_bound(plan.tiles.begin(), plan.tiles.end(), tile);
    return static_cast<std::uint32_t>(found - plan.tiles.begin());
  };
  // Lists that grow would take twice the room.
  std::map<int, std::size_t> pieces_of;
  for (const int owner : owners) ++pieces_of[owner];
  std::map<int, Outbound> outbound;
  for (const auto& [owner, count] : pieces_of) {
    if (owner == rank) {
      plan.copies.reserve(count);
    } else {
      outbound.emplace(owner, Outbound{owner, 0, {}}).first->second.runs.reserve(count);
    }
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Piece& piece = mine[i];
    if (owners[i] == rank) {
      const std::uint32_t slot = slot_of(piece.tile);
      in_stretches(piece.length, [&](std::uint64_t done, std::uint32_t length) {
        plan.copies.push_back({piece.offset + done, piece.local + done, slot, length});
      });
      continue;
    }
    Outbound& message = outbound.at(owners[i]);
    in_stretches(piece.length, [&](std::uint64_t done, std::uint32_t length) {
      message.runs.push_back({piece.local + done, length});
    });
    message.elements += piece.length;
    plan.sent_elements += piece.length;
  }
  for (auto& [peer, message] : outbound) plan.outbound.push_back(std::move(message));
  std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.peer < b.peer; });
  for (Contribution& other : others) {
    if (other.parts.empty()) continue;
    Inbound message{other.peer, 0, {}};
    message.places.reserve(other.parts.size());
    for (const Part& part : other.parts) {
      const std::uint32_t slot = slot_of(part.tile);
      in_stretches(part.length, [&](std::uint64_t done, std::uint32_t length) {
        message.places.push_back({part.offset + done, slot, length});
      });
      message.elements += part.length;
    }
    plan.received_elements += message.elements;
    plan.inbound.push_back(std::move(message));
    other.parts = {};
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
    std::vector<Part> cover;
    std::map<int, std::uint64_t> held;
    for (const auto& [r, piece] : by_tile[tile]) {
      cover.push_back({piece.tile, piece.offset, piece.length});
      held[r] += piece.length;
    }
    std::sort(cover.begin(), cover.end(), [](const Part& a, const Part& b) { return a.offset < b.offset; });
    check_cover(grid, tile, cover, field);
    std::vector<Holder> holders;
    holders.reserve(held.size());
    for (const auto& [r, elements] : held) holders.push_back({r, elements});
    owners[tile] = owner_of(tile, grid.tiles(), grid.valid_elements(tile), holders, writers, rule);
    tiles[static_cast<std::size_t>(owners[tile])].push_back(tile);
  }
  std::vector<std::vector<Contribution>> others(ownerships.size());
  for (int r = 0; r < ranks; ++r) {
    std::map<int, std::vector<Part>> for_owner;
    for (const auto& [tile, offset, local, length] : pieces[static_cast<std::size_t>(r)]) {
      for_owner[owners[tile]].push_back({tile, offset, length});
    }
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
