#include "weft/partition/tile_grid.hpp"

#include <algorithm>
#include <utility>

namespace weft::partition {

TileGrid::TileGrid(Shape per_step, Shape tile) : shape_(std::move(per_step)), tile_(std::move(tile)) {
  if (shape_.empty()) {
    shape_ = {1};
    tile_ = {1};
  }
  while (shape_.size() > 1 && tile_.back() == shape_.back()) {
    const std::uint64_t folded = shape_.back();
    shape_.pop_back();
    tile_.pop_back();
    shape_.back() *= folded;
    tile_.back() *= folded;
  }
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    counts_.push_back(ceil_div(shape_[i], tile_[i]));
    tiles_ *= counts_[i];
    tile_elements_ *= tile_[i];
  }
}

std::uint64_t TileGrid::valid_elements(std::uint64_t tile) const {
  std::uint64_t valid = 1;
  for (std::size_t i = shape_.size(); i-- > 0;) {
    const std::uint64_t start = tile % counts_[i] * tile_[i];
    valid *= std::min(tile_[i], shape_[i] - start);
    tile /= counts_[i];
  }
  return valid;
}

std::uint64_t TileGrid::global_of(std::uint64_t tile, std::uint64_t offset) const {
  std::uint64_t global = 0;
  std::uint64_t stride = 1;
  for (std::size_t i = shape_.size(); i-- > 0;) {
    global += (tile % counts_[i] * tile_[i] + offset % tile_[i]) * stride;
    stride *= shape_[i];
    tile /= counts_[i];
    offset /= tile_[i];
  }
  return global;
}

bool TileGrid::is_padding(std::uint64_t tile, std::uint64_t offset) const {
  for (std::size_t i = shape_.size(); i-- > 0;) {
    if (tile % counts_[i] * tile_[i] + offset % tile_[i] >= shape_[i]) return true;
    tile /= counts_[i];
    offset /= tile_[i];
  }
  return false;
}

std::vector<Piece> TileGrid::cut(const Ownership& ownership) const {
  std::vector<Piece> pieces;
  pieces.reserve(ownership.runs().size());
  const std::size_t last = shape_.size() - 1;
  for (const Run& run : ownership.runs()) {
    for (std::uint64_t done = 0; done < run.length;) {
      // Where the element run.global + done lies, and how far its tile's row reaches.
      std::uint64_t rest = run.global + done;
      std::uint64_t tile = 0;
      std::uint64_t offset = 0;
      std::uint64_t tile_stride = 1;
      std::uint64_t offset_stride = 1;
      std::uint64_t row_left = 0;
      for (std::size_t i = shape_.size(); i-- > 0;) {
        const std::uint64_t index = rest % shape_[i];
        rest /= shape_[i];
        tile += index / tile_[i] * tile_stride;
        offset += index % tile_[i] * offset_stride;
        tile_stride *= counts_[i];
        offset_stride *= tile_[i];
        if (i == last) row_left = std::min(tile_[i] - index % tile_[i], shape_[i] - index);
      }
      const std::uint64_t length = std::min(row_left, run.length - done);
      pieces.push_back({tile, offset, run.local + done, length});
      done += length;
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.tile != b.tile ? a.tile < b.tile : a.offset < b.offset; });
  // Rows that meet (a tile as wide as the array) are one piece. In place: of scattered nodes there are very many.
  std::size_t kept = 0;
  for (const Piece& piece : pieces) {
    if (kept > 0) {
      Piece& before = pieces[kept - 1];
      if (before.tile == piece.tile && before.offset + before.length == piece.offset &&
          before.local + before.length == piece.local) {
        before.length += piece.length;
        continue;
      }
    }
    pieces[kept++] = piece;
  }
  pieces.resize(kept);
  return pieces;
}

}  // namespace weft::partition
