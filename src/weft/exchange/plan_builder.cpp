#include "weft/exchange/plan_builder.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace weft::exchange {

namespace {

using partition::Holder;
using partition::Piece;

struct Verdict {
  std::uint64_t tile;
  std::uint64_t owner;
};

using Messages = std::vector<std::vector<std::byte>>;

template <typename T>
void append(std::vector<std::byte>& message, const T& value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  message.insert(message.end(), data, data + sizeof(T));
}

template <typename T>
std::vector<T> unpack(const std::vector<std::byte>& message) {
  std::vector<T> values(message.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), message.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

partition::MovePlan build_plan(Communicator& comm, const partition::TileGrid& grid,
                               const partition::Ownership& ownership, const partition::Writers& writers,
                               partition::OwnerRule rule, const std::string& field) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const std::vector<Piece> mine = grid.cut(ownership);

  Messages to_directory(ranks);
  for (const Piece& piece : mine) {
    append(to_directory[static_cast<std::size_t>(partition::block_of(piece.tile, grid.tiles(), comm.size()))], piece);
  }
  const Messages reports = comm.all_to_all(to_directory);

  // As directory of the tiles dealt to this rank: who holds what of each.
  std::map<std::uint64_t, std::vector<std::pair<int, Piece>>> held;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const Piece& piece : unpack<Piece>(reports[r])) held[piece.tile].emplace_back(static_cast<int>(r), piece);
  }
  Messages verdicts(ranks);
  Messages owned(ranks);
  agree_on(comm, [&] {
    const partition::Block dealt = partition::even_block(grid.tiles(), comm.rank(), comm.size());
    for (std::uint64_t tile = dealt.first; tile < dealt.first + dealt.count; ++tile) {
      auto& parts = held[tile];
      std::sort(parts.begin(), parts.end(),
                [](const auto& a, const auto& b) { return a.second.offset < b.second.offset; });
      std::vector<Piece> cover;
      std::map<int, std::uint64_t> elements;
      for (const auto& [r, piece] : parts) {
        cover.push_back(piece);
        elements[r] += piece.length;
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
  Messages to_owner(ranks);
  for (const Piece& piece : mine) {
    owners.push_back(owner_of_tile.at(piece.tile));
    if (owners.back() != comm.rank()) append(to_owner[static_cast<std::size_t>(owners.back())], piece);
  }
  const Messages arriving = comm.all_to_all(to_owner);
  std::vector<partition::Contribution> others;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (!arriving[r].empty()) others.push_back({static_cast<int>(r), unpack<Piece>(arriving[r])});
  }
  return partition::assemble(comm.rank(), mine, owners, std::move(tiles), std::move(others));
}

}  // namespace weft::exchange
