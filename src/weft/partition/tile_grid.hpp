// weft/partition/tile_grid.hpp - the tiles of one step: what one step's slice of a chunk covers.
//
// A chunk of (k, c1, c2, ...) elements is k tiles of (c1, c2, ...), one for each of its steps, stored one behind the
// other; a tile at the edge of the array is stored whole, padding included. Tiles are numbered row-major over the
// step's array, so chunk number = (step / k) * tiles + tile. Pure arithmetic.
//
// Example: steps of {400000, 2} in chunks of (19, 3449, 2): 116 tiles of 6,898 elements; the last covers 3,365 nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/partition/ownership.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::partition {

// A stretch of a rank's elements inside one tile: `length` elements from `local` of the rank's array belong from
// `offset` of the tile on.
struct Piece {
  std::uint64_t tile;
  std::uint64_t offset;
  std::uint64_t local;
  std::uint64_t length;
  bool operator==(const Piece&) const = default;
};

class TileGrid {
 public:
  // `tile` is the chunk without its step axis; both shapes have the same rank, every extent at least 1, tile <=
  // per_step. The empty shape (one number a step) is one tile of one element.
  TileGrid(Shape per_step, Shape tile);

  std::uint64_t tiles() const { return tiles_; }
  std::uint64_t tile_elements() const { return tile_elements_; }
  // Elements of the tile that are elements of the array: tile_elements() but at the edges.
  std::uint64_t valid_elements(std::uint64_t tile) const;
  // The flattened index in the step's array of an element of a tile; `offset` must be no padding.
  std::uint64_t global_of(std::uint64_t tile, std::uint64_t offset) const;

  // Whether an element of an edge tile lies outside the array.
  bool is_padding(std::uint64_t tile, std::uint64_t offset) const;

  // The ownership cut at tile boundaries, sorted by (tile, offset).
  std::vector<Piece> cut(const Ownership& ownership) const;

 private:
  // Trailing axes that the tile spans whole are folded into one: {N, 2} in tiles {n, 2} is {2N} in tiles {2n}.
  Shape shape_;
  Shape tile_;
  Shape counts_;
  std::uint64_t tiles_ = 1;
  std::uint64_t tile_elements_ = 1;
};

}  // namespace weft::partition

#pragma GCC visibility pop
