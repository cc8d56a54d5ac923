#include "weft/exchange/plan_builder.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "weft/exchange/messages.hpp"

namespace weft::exchange {

namespace {

using partition::Holder;
using partition::Part;
using partition::Piece;

struct Verdict {
  std::uint64_t tile;
  std::uint64_t owner;
};

// For each rank the parts that `to(i)` gives it. Counted first: lists that grow would take twice the room.
template <typename To>
Messages parts_for(int ranks, const std::vector<Piece>& pieces, const To& to) {
  Messages parts(static_cast<std::size_t>(ranks));
  std::vector<std::size_t> counts(parts.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) ++counts[static_cast<std::size_t>(to(i))];
  for (std::size_t r = 0; r < parts.size(); ++r) parts[r].reserve(counts[r] * sizeof(Part));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    append(parts[static_cast<std::size_t>(to(i))], Part{pieces[i].tile, pieces[i].offset, pieces[i].length});
  }
  return parts;
}

struct Reported {
  Part part;
  int rank;
};

// What the ranks hold of the tiles that are dealt to this one, sorted by (tile, offset). Collective.
std::vector<Reported> reported(Communicator& comm, const std::vector<Piece>& mine, std::uint64_t tiles) {
  Messages to_directory = parts_for(
      comm.size(), mine, [&](std::size_t i) { return partition::block_of(mine[i].tile, tiles, comm.size()); });
  Messages reports = comm.all_to_all(to_directory);
  to_directory = {};
  std::size_t parts = 0;
  for (const auto& report : reports) parts += report.size() / sizeof(Part);
  std::vector<Reported> held;
  held.reserve(parts);
  for (std::size_t r = 0; r < reports.size(); ++r) {
    for (const Part& part : unpack<Part>(reports[r])) held.push_back({part, static_cast<int>(r)});
    reports[r] = {};
  }
  std::sort(held.begin(), held.end(), [](const Reported& a, const Reported& b) {
    return a.part.tile != b.part.tile ? a.part.tile < b.part.tile : a.part.offset < b.part.offset;
  });
  return held;
}

}  // namespace

partition::MovePlan build_plan(Communicator& comm, const partition::TileGrid& grid,
                               const partition::Ownership& ownership, const partition::Writers& writers,
                               partition::OwnerRule rule, const std::string& field) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const std::vector<Piece> mine = grid.cut(ownership);

  // As directory of the tiles dealt to this rank: who holds what of each.
  std::vector<Reported> held = reported(comm, mine, grid.tiles());
  Messages verdicts(ranks);
  Messages owned(ranks);
  agree_on(comm, [&] {
    const partition::Block dealt = partition::even_block(grid.tiles(), comm.rank(), comm.size());
    auto next = held.begin();
    for (std::uint64_t tile = dealt.first; tile < dealt.first + dealt.count; ++tile) {
      std::vector<Part> cover;
      std::map<int, std::uint64_t> elements;
      for (; next != held.end() && next->part.tile == tile; ++next) {
        cover.push_back(next->part);
        elements[next->rank] += next->part.length;
      }
      partition::check_cover(grid, tile, cover, field);
      std::vector<Holder> holders;
      holders.reserve(elements.size());
      for (const auto& [r, count] : elements) holders.push_back({r, count});
      const int owner = partition::owner_of(tile, grid.tiles(), grid.valid_elements(tile), holders, writers, rule);
      append(owned[static_cast<std::size_t>(owner)], tile);
      for (const Holder& holder : holders) {
        append(verdicts[static_cast<std::size_t>(holder.rank)], Verdict{tile, static_cast<std::uint64_t>(owner)});
      }
    }
  });
  held = {};
  std::unordered_map<std::uint64_t, int> owner_of_tile;
  for (const auto& message : comm.all_to_all(verdicts)) {
    for (const Verdict& verdict : unpack<Verdict>(message))
      owner_of_tile[verdict.tile] = static_cast<int>(verdict.owner);
  }
  std::vector<std::uint64_t> tiles;
  for (const auto& message : comm.all_to_all(owned)) {
    for (const std::uint64_t tile : unpack<std::uint64_t>(message)) tiles.push_back(tile);
  }

  std::vector<int> owners;
  owners.reserve(mine.size());
  for (const Piece& piece : mine) owners.push_back(owner_of_tile.at(piece.tile));
  Messages to_owner = parts_for(comm.size(), mine, [&](std::size_t i) { return owners[i]; });
  to_owner[static_cast<std::size_t>(comm.rank())] = {};  // its own stay
  Messages arriving = comm.all_to_all(to_owner);
  to_owner = {};
  std::vector<partition::Contribution> others;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (!arriving[r].empty()) others.push_back({static_cast<int>(r), unpack<Part>(arriving[r])});
    arriving[r] = {};
  }
  return partition::assemble(comm.rank(), mine, owners, std::move(tiles), std::move(others));
}

}  // namespace weft::exchange
