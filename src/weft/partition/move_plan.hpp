// weft/partition/move_plan.hpp - which rank writes which tile, and what must travel for it.
//
// The rule (one rank decides for one tile, from nothing but who holds what of it):
//   - a writer whose ranks hold more than half of a tile's elements owns it (partition/writers.hpp; where all ranks
//     write, each stands for itself);
//   - otherwise the tile goes to the writer it would fall to if tiles were dealt in even blocks, unless more than 1.1
//     times as many elements travelled between nodes then as have to: then to a writer of the node that holds most.
// So contiguous partitions move only the nodes of tiles that straddle a boundary, and scattered ones share the work
// evenly. Every element must be held by exactly one rank.
//
// `plan_moves` computes the plan of every rank from all ownerships at once: the reference, and a way to look at a plan
// for any number of ranks. exchange/plan_builder.hpp builds the same plan with each rank knowing only its own part.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/partition/tile_grid.hpp"
#include "weft/partition/writers.hpp"

#pragma GCC visibility push(default)

namespace weft::partition {

// Where nodes are scattered there is one of these for each node, so they are as short as they can be. A `slot` is a
// tile's place in MovePlan::tiles; lengths and offsets are of elements.

// Elements of this rank's array that go into a tile it owns.
struct Copy {
  std::uint64_t offset;
  std::uint64_t local;
  std::uint32_t slot;
  std::uint32_t length;
  bool operator==(const Copy&) const = default;
};
// Elements of this rank's array that go into a message.
struct Taken {
  std::uint64_t local;
  std::uint32_t length;
  bool operator==(const Taken&) const = default;
};
// Where the next elements of a message belong.
struct Placed {
  std::uint64_t offset;
  std::uint32_t slot;
  std::uint32_t length;
  bool operator==(const Placed&) const = default;
};

// What goes to, or comes from, one other rank, in the order it is packed: by tile, then by offset.
struct Outbound {
  int peer;
  std::uint64_t elements;
  std::vector<Taken> runs;
  bool operator==(const Outbound&) const = default;
};
struct Inbound {
  int peer;
  std::uint64_t elements;
  std::vector<Placed> places;
  bool operator==(const Inbound&) const = default;
};

struct MovePlan {
  std::vector<std::uint64_t> tiles;  // the tiles this rank owns, ascending
  std::vector<Copy> copies;
  std::vector<Outbound> outbound;  // by peer, ascending
  std::vector<Inbound> inbound;    // by peer, ascending
  std::uint64_t sent_elements = 0;
  std::uint64_t received_elements = 0;
  std::uint64_t memory_bytes() const;  // that the plan itself takes: some 30 for each node of a rank that is scattered
  bool operator==(const MovePlan&) const = default;
};

// One rank's part of a tile, as the rule sees it.
struct Holder {
  int rank;
  std::uint64_t elements;
};
enum class OwnerRule {
  majority,  // the rule above
  in_order,  // tile i belongs to rank i: for collective writes, where every rank writes one slab
};
int owner_of(std::uint64_t tile, std::uint64_t tiles, std::uint64_t valid_elements, std::span<const Holder> holders,
             const Writers& writers, OwnerRule rule);

// Elements of one tile, wherever they lie in the memory of their rank.
struct Part {
  std::uint64_t tile;
  std::uint64_t offset;
  std::uint64_t length;
};

// Checks that the parts of one tile, sorted by offset, cover it once and wholly. Throws Error(usage) that names the
// first element (flattened index in a step) that is held twice or by nobody; `field` is for the message.
void check_cover(const TileGrid& grid, std::uint64_t tile, std::span<const Part> parts, const std::string& field);

// The plans of all ranks, from all their ownerships. Pure; meant for tests and for looking.
std::vector<MovePlan> plan_moves(const TileGrid& grid, std::span<const Ownership> ownerships, const Writers& writers,
                                 OwnerRule rule = OwnerRule::majority, const std::string& field = "field");

// Builds a rank's plan from its own pieces (with each piece's owner) and from what other ranks hold of its tiles.
struct Contribution {
  int peer;
  std::vector<Part> parts;  // sorted by (tile, offset)
};
MovePlan assemble(int rank, std::span<const Piece> mine, std::span<const int> owners, std::vector<std::uint64_t> tiles,
                  std::vector<Contribution> others);

}  // namespace weft::partition

#pragma GCC visibility pop
